import { join } from "node:path";
import { expect } from "chai";
import { announce } from "../fixtures/announcedStack.ts";
import { runHardhat } from "../fixtures/hardhat.ts";
import { serveLocalChain } from "../fixtures/localChain.ts";
import { serveProxy } from "../fixtures/proxy.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";
import { withoutPending } from "../fixtures/withoutPending.ts";

describe("identity credential set", () => {
  const wallet = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

  async function fixture() {
    const { rpcUrl, provider } = await serveLocalChain();
    const node = await serveProxy(rpcUrl);
    const databaseUrl = `file:${join(await temporaryFolder(), "identity.sqlite")}`;
    const port = announce({ rpcUrl: node.url, databaseUrl });
    const set = async (...args: string[]) => {
      const options = ["--port", port, "--wallet", wallet, "--provider", "microblog", "--json"];
      const { code, stdout } = await runHardhat(["identity", "credential", "set", ...options, ...args]);
      return { code, json: JSON.parse(stdout) };
    };
    return { provider, node, set };
  }

  for (const [how, instead] of Object.entries(withoutPending)) {
    it(`takes the time of the latest block that is ahead, on a node that ${how}`, async () => {
      const { provider, node, set } = await fixture();
      await provider.send("evm_increaseTime", [86_400]);
      await provider.send("evm_mine", []);
      node.behaviour = { instead };
      const { code, json } = await set("--account-id", "1001");
      expect(json.authenticatedAt).to.equal((await provider.getBlock("latest"))?.timestamp);
      expect(code).to.equal(0);
    });
  }

  it("says that a credential without traits meets no condition", async () => {
    const { set } = await fixture();
    expect((await set("--account-id", "1001")).json.warning).to.equal(
      "It has no traits, so it meets no condition of any consumer; give them: --traits '{\"followers\":1200}'.",
    );
    const { json } = await set("--account-id", "1001", "--traits", '{"followers":1200}');
    expect(json).to.not.have.property("warning");
  });

  it("takes the account id as --account, too, but not two different ones", async () => {
    const { set } = await fixture();
    expect((await set("--account", "1001", "--account-id", "1001")).code).to.equal(0);
    const { code, json } = await set("--account", "1001", "--account-id", "1002");
    expect(code).to.equal(1);
    expect(json.error.message).to.equal(
      "--account-id and --account both name the provider's account id; give one of them.",
    );
    expect((await set()).json.error.message).to.equal("--account-id is missing.");
  });
});

describe("identity credential list", () => {
  it("opens an operator's store with its master secret alone, which it asks for", async () => {
    const env = {
      IDENTITY_DATABASE_URL: `file:${join(await temporaryFolder(), "identity.sqlite")}`,
      IDENTITY_MASTER_SECRET: "",
    };
    const { code, stdout } = await runHardhat(["identity", "credential", "list", "--json"], { env });
    expect(JSON.parse(stdout).error.message).to.equal(
      "IDENTITY_DATABASE_URL is set, but IDENTITY_MASTER_SECRET is not; the store needs both.",
    );
    expect(code).to.equal(1);
  });

  it("opens the store of the stack whose port is given, whatever the environment names", async () => {
    const { rpcUrl } = await serveLocalChain();
    const databaseUrl = `file:${join(await temporaryFolder(), "identity.sqlite")}`;
    const env = { IDENTITY_DATABASE_URL: "file:/nowhere/identity.sqlite", IDENTITY_MASTER_SECRET: "" };
    const args = ["identity", "credential", "list", "--json", "--port", announce({ rpcUrl, databaseUrl })];
    const { code, stdout } = await runHardhat(args, { env });
    expect(JSON.parse(stdout)).to.deep.equal([]);
    expect(code).to.equal(0);
  });
});
