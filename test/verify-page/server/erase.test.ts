import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

describe("Deleting an account at the verify page", () => {
  it("leaves nothing in the database's files", async () => {
    const { service } = await serveVerifyPage();
    const path = service.config.databaseUrl.replace(/^file:/, "");
    const [visitor, other] = [new Visitor(service.url), new Visitor(service.url)];
    for (const [each, pick] of [
      [visitor, "1001"],
      [other, "1002"],
    ] as const) {
      await each.signIn();
      await each.prove("microblog", { action: "pick", pick });
      await each.act("keep");
    }
    const database = new DatabaseSync(path, { readOnly: true });
    const row = database
      .prepare("select sealed from credentials where wallet = ?")
      .get(visitor.wallet.address);
    database.close();
    const secrets = [String(row?.sealed), visitor.wallet.address];
    const foundIn = () =>
      [path, `${path}-wal`, `${path}-journal`]
        .filter((file) => existsSync(file))
        .map((file) => readFileSync(file, "latin1"))
        .filter((content) => secrets.some((secret) => content.includes(secret)));
    expect(foundIn()).not.to.deep.equal([]);

    expect((await visitor.act("erase", { provider: "microblog" })).status).to.equal(204);
    expect(foundIn()).to.deep.equal([]);
    const again = await visitor.act("erase", { provider: "microblog" });
    expect([again.status, again.body.code, again.body.detail]).to.deep.equal([
      404,
      "not_found",
      "The wallet has no account of this provider here.",
    ]);
    expect((await visitor.overview()).body.accounts).to.deep.equal([]);
    expect((await other.overview()).body.accounts).to.have.length(1);
  });
});
