import { expect } from "chai";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { startStack } from "../fixtures/signer/stack.ts";
import { announce } from "../fixtures/tasks/announcedStack.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";

describe("identity request --submit", () => {
  let run: (...args: string[]) => ReturnType<typeof runHardhat>;
  /** The `value` of every call that the node was asked to try out. */
  const values: unknown[] = [];

  let known: string[];
  let unknown: string[];
  let consumer: string;
  /** The same policy, in code that no artifact has. */
  let stranger: string;

  before(async () => {
    const { rpcUrl, url: signerUrl, user, setCredential, deployConsumer, provider } = await startStack();
    consumer = await (await deployConsumer()).getAddress();
    stranger = await (await deployConsumer()).getAddress();
    await provider.send("hardhat_setCode", [stranger, `${await provider.getCode(stranger)}00`]);
    await setCredential(user, { followers: "1200" });
    const node = await serveProxy(rpcUrl, {
      instead({ method, params: [transaction] = [] }) {
        if (method === "eth_call") values.push(Object(transaction).value);
        return undefined;
      },
    });
    const port = announce({ rpcUrl: node.url, signerUrl });
    run = (...args) => runHardhat(["identity", "request", "--port", port, ...args]);
  });

  beforeEach(() => {
    known = ["--consumer", consumer, "--account", "1"];
    unknown = ["--consumer", stranger, "--account", "1"];
    values.length = 0;
  });

  it("sends an amount of wei along that no JavaScript number holds, decimal or hex", async () => {
    for (const value of ["9007199254740993", "0x20000000000001"]) {
      // The entry point takes no ether, and reverts.
      const { code, stdout } = await run(...unknown, "--submit", "enroll", "--value", value);
      expect(stdout).to.match(/^Refused +enroll reverts with a revert without a reason$/m);
      expect(stdout).to.include(
        `${stranger} may have no function enroll(bytes32 identityHash, uint40 expiration, bytes signature), ` +
          "or one that takes no ether (--value 9007199254740993).",
      );
      expect(code).to.equal(1);
      expect(values.splice(0)).to.deep.equal(["0x20000000000001"]);
    }
  });

  it("refuses an amount that no transaction can carry, before anything is asked", async () => {
    const value = String(2n ** 256n);
    const { code, stdout } = await run(...known, "--submit", "enroll", "--value", value, "--json");
    expect(JSON.parse(stdout)).to.deep.equal({
      error: { message: `--value must fit into 256 bits, got "${value}".` },
    });
    expect(code).to.equal(1);
    expect(values).to.deep.equal([]);
  });

  it("says what the contract's refusal means", async () => {
    await run(...known, "--submit", "enroll");
    const { code, stdout } = await run(...known, "--submit", "enroll");
    expect(stdout).to.match(/^Refused +enroll reverts with IdentityAlreadyUsed\(0x[0-9a-f]{64}\)$/m);
    expect(stdout).to.match(
      /^Reason +This person has been here already, from this wallet or another one\.$/m,
    );
    expect(code).to.equal(1);
  });

  it("names the functions of a known contract that does not have the one to call", async () => {
    const longer = "enroll(uint256 amount, bytes32 identityHash, uint40 expiration, bytes signature)";
    for (const [entryPoint, args] of [
      ["claim", []],
      [longer, ["--args", '{"amount":5}']],
    ] as const) {
      const { code, stdout } = await run(...known, "--submit", entryPoint, ...args, "--json");
      expect(code).to.equal(1);
      expect(JSON.parse(stdout).error.message).to.equal(
        `ChosenConsumer has no function ${entryPoint}; it has ` +
          "enroll(bytes32 identityHash, uint40 expiration, bytes signature).",
      );
    }
  });

  it("says that a known function takes no ether, before anything is tried out", async () => {
    const { code, stdout } = await run(...known, "--submit", "enroll", "--value", "5", "--json");
    expect(code).to.equal(1);
    expect(JSON.parse(stdout)).to.deep.equal({
      error: { message: "enroll of ChosenConsumer is not payable: leave --value out, got 5 wei." },
    });
    expect(values).to.deep.equal([]);
  });

  it("refuses --args and --value where there is nothing to give them to", async () => {
    for (const [option, value] of [
      ["args", "{}"],
      ["value", "0"],
    ] as const) {
      const { code, stdout } = await run(...known, `--${option}`, value, "--json");
      expect(code).to.equal(1);
      expect(JSON.parse(stdout).error.message).to.equal(
        `--${option} is for an entry point, but --submit names none. Add --submit, or leave out --${option}.`,
      );
    }
  });

  it("passes on what the node says of an account that it does not have", async () => {
    const nobody = `0x${"12".repeat(20)}`;
    const { code, stdout } = await run("--consumer", consumer, "--account", nobody);
    expect(stdout).to.match(new RegExp(`^Reason +personal_sign was refused: .*${nobody}`, "m"));
    expect(code).to.equal(1);
  });
});
