import { expect } from "chai";
import { FunctionFragment } from "ethers";
import { readArtifact } from "../../ignition/artifacts.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { startStack } from "../fixtures/signer/stack.ts";
import { announce, serveNothing } from "../fixtures/tasks/announcedStack.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";

describe("identity request --submit", () => {
  let run: (...args: string[]) => ReturnType<typeof runHardhat>;
  /** As if the output were a terminal with colours. */
  let colourfully: typeof run;
  /** The `value` of every call that the node was asked to try out. */
  const values: unknown[] = [];

  let known: string[];
  let unknown: string[];
  let consumer: string;
  /** The same policy, in code that no artifact has. */
  let stranger: string;

  let node: { readonly url: string };
  let signerUrl: string;

  before(async () => {
    const { rpcUrl, url, user, setCredential, deployConsumer, provider } = await startStack();
    consumer = await (await deployConsumer()).getAddress();
    stranger = await (await deployConsumer()).getAddress();
    await provider.send("hardhat_setCode", [stranger, `${await provider.getCode(stranger)}00`]);
    await setCredential(user, { followers: "1200" });
    signerUrl = url;
    node = await serveProxy(rpcUrl, {
      instead({ method, params: [transaction] = [] }) {
        const { to, value } = Object(transaction);
        // A call of the precompile recovers the sign-in's signer.
        if (method === "eth_call" && BigInt(to) > 1n) values.push(value);
        return undefined;
      },
    });
    const port = announce({ rpcUrl: node.url, signerUrl });
    const command = ["identity", "request", "--port", port];
    run = (...args) => runHardhat([...command, ...args]);
    const env = { NO_COLOR: undefined, FORCE_COLOR: "1" };
    colourfully = (...args) => runHardhat([...command, ...args], { env });
  });

  beforeEach(() => {
    known = ["--consumer", consumer, "--account", "1"];
    unknown = ["--consumer", stranger, "--account", "1"];
    values.length = 0;
  });

  it("asks the service of --service instead of the stack's, and needs one", async () => {
    const away = serveNothing();
    const port = announce({ rpcUrl: node.url, signerUrl: away, port: 5 });
    const ask = (...args: string[]) =>
      runHardhat(["identity", "request", "--port", port, ...known, "--json", ...args]);
    const named = await ask("--service", signerUrl);
    expect([named.code, Object.keys(JSON.parse(named.stdout))]).to.deep.equal([
      0,
      ["identityHash", "expiration", "signature"],
    ]);
    const ofStack = await ask();
    expect([ofStack.code, ofStack.stdout.includes(away)], ofStack.stdout).to.deep.equal([1, true]);
  });

  it("sends an amount of wei beyond 2^53, given as decimal or hex", async () => {
    for (const value of ["9007199254740993", "0x20000000000001"]) {
      // The entry point takes no ether, and reverts.
      const { code, stdout } = await run(...unknown, "--submit", "enroll", "--value", value);
      expect(stdout).to.match(/^Refused +enroll reverts with a revert without a reason$/m);
      expect(stdout).to.include(
        `${stranger} may have no function enroll(bytes32 identityHash, uint40 expiration, bytes signature), ` +
          "or one that takes no ether (--value 9007199254740993). " +
          "The project has compiled no such contract: compile it, or give the function's full signature.",
      );
      expect(code).to.equal(1);
      expect(values.splice(0)).to.deep.equal(["0x20000000000001"]);
    }
  });

  it("accepts large integers of --args as strings, decimal or hex", async () => {
    const submit = [
      "--submit",
      "deposit(uint256 amount, (int8[] parts) split, bytes signature, bytes32 identityHash, uint40 expiration)",
    ];
    const args = (amount: string, part: string) => [
      "--args",
      `{"amount":${amount},"split":{"parts":[${part}]}}`,
    ];
    for (const [amount, part] of [
      ['"25"', '"0x7"'],
      ['"0x19"', '"-7"'],
    ] as const) {
      const { stdout } = await run(...unknown, ...submit, ...args(amount, part));
      expect(stdout).to.match(/^Refused +deposit reverts with a revert without a reason$/m);
    }
    for (const [given, message] of [
      [args('"many"', "7"), '--args: amount must be a whole number that fits uint256, got "many".'],
      [args("25", "700"), "--args: split.parts[0] must be a whole number that fits int8, got 700n."],
      [["--args", '{"amount":25}'], "--args: split must be a tuple, got nothing."],
    ] as const) {
      const { stdout } = await run(...unknown, ...submit, ...given, "--json");
      expect(JSON.parse(stdout)).to.deep.equal({ error: { message } });
    }
  });

  it("refuses an argument before it asks the service", async () => {
    const away = `http://127.0.0.1:${await findFreePort()}`;
    for (const submit of [
      ["deposit(uint256 amount, bytes32 identityHash, uint40 expiration, bytes signature)", "--args", "{}"],
      ["enrol"],
    ]) {
      const { code, stdout } = await run(...known, "--service", away, "--submit", ...submit, "--json");
      expect([code, stdout.includes(away)], stdout).to.deep.equal([1, false]);
      expect(stdout).to.match(/has no function|--args: amount must be/);
    }
  });

  it("fills in the verification where the entry point takes it as a struct", async () => {
    const struct = "claim((bytes32 identityHash, uint40 expiration, bytes signature) proof, uint256 amount)";
    const abi = [JSON.parse(FunctionFragment.from(`function ${struct}`).format("json"))];
    const own = [{ name: "Poll", address: stranger, abi }];
    const port = announce({ rpcUrl: node.url, signerUrl, own, consumers: { Poll: stranger }, port: 5 });
    for (const entryPoint of ["claim", struct]) {
      const args = ["--consumer", "Poll", "--account", "1", "--submit", entryPoint, "--port", port];
      const { stdout } = await runHardhat(["identity", "request", ...args, "--args", '{"amount":5}']);
      // There is no code, which would take it.
      expect(stdout).to.match(/^Accepted +claim in transaction|^Refused +claim reverts with/m);
    }
  });

  it("colours the verdicts at a terminal alone, and lays out wallet, identity and contract", async () => {
    const submit = [...known, "--submit", "enroll"];
    await run(...submit);
    const { code, stdout } = await run(...submit);
    expect(stdout).to.match(
      /^Verified {2}0x\w{40}\nIdentity {2}0x\w{64}\nContract {2}0x\w{40}\nRefused {3}enroll reverts with IdentityAlreadyUsed\(0x\w{4}…\w{4}\)\nReason {4}This person has already taken part, from this wallet or another one\.$/m,
    );
    expect(code).to.equal(1);
    const coloured = await colourfully(...submit);
    expect(coloured.stdout).to.include("\u001b[32mVerified\u001b[39m  0x");
    expect(coloured.stdout).to.include("\u001b[31mRefused \u001b[39m  enroll reverts");
    expect((await colourfully(...submit, "--json")).stdout).not.to.include("\u001b");
  });

  it("lists the functions of a contract that lacks the named one", async () => {
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

  it("takes the ABI of a consumer that the stack deployed, whatever code it has", async () => {
    // A fallback may pass on a full signature, and has no functions of a name.
    const abi = [...readArtifact("examples/Ballot").abi, { type: "fallback", stateMutability: "payable" }];
    const others = ["open(uint256 id)", "close()", "sum(uint256) pure"].map((each) =>
      JSON.parse(FunctionFragment.from(`function ${each}`).format("json")),
    );
    const verification = "bytes32 identityHash, uint40 expiration, bytes signature";
    for (const [functions, has] of [
      [abi, `vote(uint256 proposal, bool support, ${verification})`],
      [others, "open(uint256 id) and close()"],
      [[], "none that could take a verification"],
    ] as const) {
      const own = [{ name: "Poll", address: stranger, abi: functions }];
      const port = announce({ rpcUrl: node.url, signerUrl, own, consumers: { Poll: stranger }, port: 4 });
      const args = ["--consumer", "Poll", "--account", "1", "--submit", "poll", "--port", port, "--json"];
      const { stdout } = await runHardhat(["identity", "request", ...args]);
      expect(JSON.parse(stdout).error.message).to.equal(`Poll has no function poll; it has ${has}.`);
    }
  });

  it("refuses ether for a function that is not payable before it asks the service", async () => {
    const { code, stdout } = await run(...known, "--submit", "enroll", "--value", "5", "--json");
    expect(code).to.equal(1);
    expect(JSON.parse(stdout)).to.deep.equal({
      error: { message: "enroll of ChosenConsumer is not payable: leave --value out, got 5 wei." },
    });
    expect(values).to.deep.equal([]);
  });

  it("refuses --args and --value without --submit", async () => {
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

  it("shows the node's error for an account that it does not have", async () => {
    const nobody = `0x${"12".repeat(20)}`;
    const { code, stdout } = await run("--consumer", consumer, "--account", nobody);
    expect(stdout).to.match(new RegExp(`^Refused +personal_sign was refused: .*${nobody}`, "m"));
    expect(code).to.equal(1);
  });
});
