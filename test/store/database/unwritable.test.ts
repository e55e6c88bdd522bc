import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { openCredentialStore } from "../../../signer/index.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { ownSecrets } from "../../fixtures/signer/stack.ts";
import { identitySignerCommand } from "../../fixtures/tasks/identitySigner.ts";

/** A user whom root can become, and who may write nowhere. */
const nobody = 65_534;

describe("A store in a folder to which its user may not write", () => {
  it("is refused with the folder, the reason and the remedy", async () => {
    // Not below the folder of this run, which is for its user alone.
    const outer = mkdtempSync("/tmp/hardhat-identity-unwritable-");
    onCleanup(() => rmSync(outer, { recursive: true }));
    chmodSync(outer, 0o711);
    const file = join(outer, "folder", "identity.sqlite");
    const { IDENTITY_MASTER_SECRET: masterSecret } = ownSecrets();
    mkdirSync(dirname(file));
    const databaseUrl = `file:${file}`;
    await (await openCredentialStore({ databaseUrl, masterSecret, chainId: 84_532 })).close();
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(file, nobody, nobody);
    chmodSync(dirname(file), 0o555);
    const env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_SECRET: masterSecret };
    const [program, args, options] = identitySignerCommand(["migrate"], env);
    const as = isRoot ? { uid: nobody, gid: nobody } : {};
    for (const isNew of [false, true]) {
      if (isNew) {
        chmodSync(dirname(file), 0o755);
        rmSync(file);
        chmodSync(dirname(file), 0o555);
      }
      const { status, stderr } = spawnSync(program, args, { ...options, ...as, encoding: "utf8" });
      expect([status, stderr], `new: ${isNew}`).to.deep.equal([
        1,
        `The database file ${file} cannot be used: ${dirname(file)} is not writable for this user, and SQLite writes to the file and to files beside it. Give it to the user that runs the service (chown).\n`,
      ]);
    }
    chmodSync(dirname(file), 0o755);
  });
});
