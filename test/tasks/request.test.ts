import { expect } from "chai";
import { announce } from "../fixtures/announcedStack.ts";
import { runHardhat } from "../fixtures/hardhat.ts";
import { serveProxy } from "../fixtures/proxy.ts";
import { startStack } from "../fixtures/stack.ts";

describe("identity request --submit", () => {
  let run: (...args: string[]) => ReturnType<typeof runHardhat>;
  /** The `value` of every call that the node was asked to try out. */
  const values: unknown[] = [];

  before(async () => {
    const { rpcUrl, url: signerUrl, user, setCredential, deployConsumer } = await startStack();
    const consumer = await (await deployConsumer()).getAddress();
    await setCredential(user, { followers: "1200" });
    const node = await serveProxy(rpcUrl, {
      instead({ method, params: [transaction] = [] }) {
        if (method === "eth_call") values.push(Object(transaction).value);
        return undefined;
      },
    });
    const port = announce({ rpcUrl: node.url, signerUrl });
    run = (...args) => runHardhat(["identity", "request", "--port", port, "--consumer", consumer, ...args]);
  });

  it("sends an amount of wei along that no JavaScript number holds, decimal or hex", async () => {
    for (const value of ["9007199254740993", "0x20000000000001"]) {
      // The entry point takes no ether, and reverts.
      const { code, stdout } = await run("--account", "1", "--submit", "enroll", "--value", value);
      expect(stdout).to.match(/^Refused +enroll reverts with a revert without a reason$/m);
      expect(code).to.equal(1);
      expect(values.splice(0)).to.deep.equal(["0x20000000000001"]);
    }
  });

  it("refuses an amount that no transaction can carry, before anything is asked", async () => {
    const value = String(2n ** 256n);
    const { code, stdout } = await run("--account", "1", "--submit", "enroll", "--value", value, "--json");
    expect(JSON.parse(stdout)).to.deep.equal({
      error: { message: `--value must fit into 256 bits, got "${value}".` },
    });
    expect(code).to.equal(1);
    expect(values).to.deep.equal([]);
  });

  it("says what the contract's refusal means", async () => {
    await run("--account", "1", "--submit", "enroll");
    const { code, stdout } = await run("--account", "1", "--submit", "enroll");
    expect(stdout).to.match(/^Refused +enroll reverts with IdentityAlreadyUsed\(0x[0-9a-f]{64}\)$/m);
    expect(stdout).to.match(
      /^Reason +This person has been here already, from this wallet or another one\.$/m,
    );
    expect(code).to.equal(1);
  });

  it("passes on what the node says of an account that it does not have", async () => {
    const stranger = `0x${"12".repeat(20)}`;
    const { code, stdout } = await run("--account", stranger);
    expect(stdout).to.match(new RegExp(`^Reason +personal_sign was refused: .*${stranger}`, "m"));
    expect(code).to.equal(1);
  });
});
