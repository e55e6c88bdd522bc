import { expect } from "chai";
import { JsonRpcProvider, Wallet } from "ethers";
import type { Stack } from "../../packages/dev/internal/start.ts";
import { development } from "../../packages/protocol/development.ts";
import { deploy } from "../fixtures/chain/localChain.ts";
import { startDevStack } from "../fixtures/tasks/devStack.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";

// Hardhat's well-known account 1.
const alice = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

describe("The tasks that work on a running stack", () => {
  let stack: Stack;
  let program: string;

  before(async () => {
    stack = await startDevStack();
    program = stack.consumers.IncentiveProgram ?? "";
  });

  /** Runs `identity <task> <options> --json` against the stack. */
  async function run(task: string, options: Record<string, string>) {
    const flags = Object.entries({ port: String(stack.port), ...options }).flatMap(([name, value]) => [
      `--${name}`,
      value,
    ]);
    const { code, stdout, stderr } = await runHardhat(["identity", ...task.split(" "), "--json", ...flags]);
    expect(stdout, stderr).to.match(/^[{[].*[}\]]\n$/);
    return { code, json: JSON.parse(stdout), stderr };
  }

  describe("tell a person", () => {
    /** Runs `identity <task> <options>` against the stack. Everything is said on standard output. */
    async function say(task: string, options: Record<string, string>) {
      const given = Object.entries({ port: String(stack.port), ...options }).flatMap(([name, value]) => [
        `--${name}`,
        value,
      ]);
      const { code, stdout, stderr } = await runHardhat(["identity", ...task.split(" "), ...given]);
      expect(stderr).to.equal("");
      return { code, lines: stdout.trimEnd().split("\n") };
    }

    const hash = "0x[0-9a-f]{64}";
    const signature = "0x[0-9a-f]{130}";
    const [carol, dave] = [
      "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
      "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    ];

    /** Expects exactly these lines, each as a pattern. */
    async function expectLines(
      [task, options]: [string, Record<string, string>],
      exit: number,
      ...patterns: readonly string[]
    ) {
      const { code, lines } = await say(task, options);
      expect(lines, task).to.have.length(patterns.length);
      for (const [i, line] of lines.entries()) expect(line).to.match(new RegExp(`^${patterns[i]}$`));
      expect(code, task).to.equal(exit);
      return lines;
    }

    it("what was minted, and whether the registry accepts it, which the exit code says, too", async () => {
      const who = { consumer: program, user: alice };
      const minted = await expectLines(
        ["mint", { ...who, identity: "ann" }],
        0,
        `identityHash {2}${hash}`,
        "expiration {4}\\d{10} \\(20\\S+Z\\)",
        `signature {5}${signature}`,
      );
      const [identityHash = "", expiration = "", signed = ""] = minted.map(
        (line) => line.split(/ +/)[1] ?? "",
      );
      const verification = { ...who, "identity-hash": identityHash, expiration, signature: signed };
      await expectLines(
        ["check", verification],
        0,
        "Valid: the registry accepts it for this user at this consumer now\\.",
      );
      await expectLines(
        ["check", { ...verification, expiration: "1700000000" }],
        1,
        "Refused {2}VerificationExpired\\(1700000000\\)",
        "Reason {3}The verification expired at 2023-11-14T22:13:20\\.000Z.*",
      );
    });

    it("a consumer's policy, line by line", async () => {
      await expectLines(
        ["policy", { consumer: "IncentiveProgram" }],
        0,
        "Provider {6}microblog",
        "Condition {5}followers gt 1000",
        "Cutoff block {2}none",
        `Policy hash {3}${hash}`,
      );
    });

    it("what credentials are stored, listed and deleted, of whom and in which order", async () => {
      const of = (wallet: string, provider = "microblog") => ({ wallet, provider });
      const account = {
        "account-id": "1",
        "authenticated-at": String(Math.floor(Date.now() / 1000) - 7_200),
      };
      const many = '{"follower_count":100000000,"likes_count":1}';
      await expectLines(
        ["credential set", { ...of(`${carol}, ${dave}`), ...account, traits: '{"followers":7}' }],
        0,
        `Stored: microblog account for ${carol}, ${dave}\\.`,
      );
      await expectLines(
        ["credential set", { ...of(carol, "exchange"), ...account }],
        0,
        `Stored: exchange account for ${carol}\\.`,
        "The account has no traits, so it meets no conditions\\. Set them with --traits '.*'\\.",
      );
      await run("credential set", { ...of(dave, "short_video"), ...account, traits: many });

      const header = "Wallet {38}Provider {6}Verified";
      const listed = (wallet: string, provider: string) => `${wallet}  ${provider.padEnd(12)}  2 hours ago`;
      const first = [listed(dave, "microblog"), " {2}followers 7"];
      const second = [listed(dave, "short_video"), " {2}follower_count 100000000 · likes_count 1"];
      const third = [listed(carol, "exchange"), " {2}no traits"];
      const fourth = [listed(carol, "microblog"), " {2}followers 7"];
      for (const [options, ...lines] of [
        [{}, header, ...first, ...second, ...third, ...fourth],
        [{ wallet: carol }, header, ...third, ...fourth],
        [{ wallet: alice }, "No credentials\\."],
      ] as const) {
        await expectLines(["credential list", options], 0, ...lines);
      }
      for (const [wallet, provider] of [
        [dave, "microblog"],
        [dave, "short_video"],
        [carol, "microblog"],
        [carol, "exchange"],
      ] as const) {
        const deleted = `Deleted: ${provider} credential of ${wallet}\\.`;
        await expectLines(["credential delete", of(wallet, provider)], 0, deleted);
      }
      await expectLines(["credential delete", of(dave)], 1, `${dave} has no microblog credential\\.`);
    });

    it("what the service and the contract answer to a request", async () => {
      const wallet = { consumer: "IncentiveProgram", account: "5" };
      const address = "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc";
      await expectLines(
        ["request", wallet],
        1,
        "Refused {15}.*\\.",
        "Code {18}verification_not_found",
        `Verify an account at {2}${stack.signerUrl}/verify\\?providers=microblog&wallet=${address}`,
      );
      for (const [service, said, name] of [
        ["http://127.0.0.1:9", "The service at http://127\\.0\\.0\\.1:9 .*", "client_network_error"],
        [stack.rpcUrl, "A node answers at .*", "client_invalid_response"],
      ] as const) {
        await expectLines(["request", { ...wallet, service }], 1, `Failed {2}${said}`, `Code {4}${name}`);
      }
      const account = {
        wallet: address,
        provider: "microblog",
        "account-id": "5",
        traits: '{"followers":1200}',
      };
      await run("credential set", account);
      await expectLines(
        ["request", wallet],
        0,
        `identityHash {2}${hash}`,
        "expiration {4}\\d{10} \\(20\\S+Z\\)",
        `signature {5}${signature}`,
      );
      await expectLines(
        ["request", { ...wallet, submit: "enroll" }],
        0,
        `Verified {2}${address}`,
        `Identity {2}${hash}`,
        `Contract {2}${program}`,
        `Accepted {2}enroll in transaction ${hash}`,
        "Gas {7}\\d+",
      );
      await run("credential delete", { wallet: address, provider: "microblog" });
    });
  });

  describe("identity mint", () => {
    it("warns if the registry does not know the given key", async () => {
      const mint = async (key: string) => {
        const options = ["--consumer", program, "--user", alice, "--identity", "ann", "--key", "Mint_Key"];
        const args = ["identity", "mint", "--json", "--port", String(stack.port), ...options];
        const { code, stdout, stderr } = await runHardhat(args, { env: { Mint_Key: key } });
        if (code === 1) return JSON.parse(stdout).error.message;
        expect(JSON.parse(stdout)).to.have.all.keys("identityHash", "expiration", "signature");
        return stderr;
      };
      expect(await mint(development.signingKey)).to.equal("");
      // Hardhat takes the key of an account without 0x, too.
      expect(await mint(development.signingKey.slice(2))).to.equal("");
      const stranger = Wallet.createRandom();
      expect(await mint(stranger.privateKey))
        .to.include(
          `Warning: no contract accepts this verification. The signer ${stranger.address} is not on`,
        )
        .and.not.include(stranger.privateKey.slice(2));
      expect(await mint(stranger.privateKey.slice(4))).to.equal(
        "--key must name a configuration variable that holds a private key (32 bytes as hex); Mint_Key does not.",
      );
    });

    it("names a missing or wrong option, or traits that do not meet the policy", async () => {
      const consumer = program;
      for (const [options, message] of [
        [{}, "--consumer is missing; it must be an address, or a name on the running `identity dev`."],
        [
          { consumer: alice.replace("C8", "c8") },
          `--consumer has a wrong EIP-55 checksum: ${alice.replace("C8", "c8")}. Copy the address again.`,
        ],
        [{ consumer, user: alice, identity: "" }, "--identity is missing; it must be any name."],
        [
          { consumer, user: alice, identity: "ann", expiration: "-1" },
          `--expiration must be a whole number, got "-1".`,
        ],
        [
          { consumer, user: alice, identity: "ann", expiration: "1760000000000" },
          "--expiration must be whole unix seconds, got 1760000000000: are these milliseconds? Divide them by 1000.",
        ],
        [
          { consumer, user: alice, identity: "ann", traits: '{"followers":1000}' },
          "The microblog account does not meet the condition followers gt 1000: its value is 1000.",
        ],
        [
          { consumer: alice, user: alice, identity: "ann" },
          `There is no contract at ${alice} on this chain.`,
        ],
      ] as const) {
        const { code, json } = await run("mint", options);
        expect(json).to.deep.equal({ error: { message } });
        expect(code).to.equal(1);
      }
    });
  });

  describe("identity check", () => {
    async function check(changes: Record<string, string>) {
      const { json } = await run("mint", { consumer: program, user: alice, identity: "ann" });
      return await run("check", {
        consumer: program,
        user: alice,
        "identity-hash": json.identityHash,
        expiration: String(json.expiration),
        signature: json.signature,
        ...changes,
      });
    }

    it("asks the registry of --registry, and mints for it, instead of the consumer's, with a warning if it is in vain", async () => {
      const provider = new JsonRpcProvider(stack.rpcUrl);
      const deployer = await provider.getSigner(9);
      const other = await (await deploy(deployer, "SignerRegistry", [alice, []])).getAddress();
      provider.destroy();
      const { code, json } = await check({ registry: other });
      expect(code).to.equal(1);
      expect(json.revert).to.match(/^NotSigner\(/);
      expect(json.reason).to.include(`not on the allowlist of ${other}`);
      const { json: ofOther, stderr } = await run("mint", {
        consumer: program,
        user: alice,
        identity: "ann",
        registry: other,
        expiration: "1900000000",
      });
      expect(stderr).to.include(
        `no contract accepts this verification. The signer ${development.signer} is not on`,
      );
      const own = { consumer: program, user: alice, identity: "ann", expiration: "1900000000" };
      expect(ofOther.expiration).to.equal(1_900_000_000);
      expect(ofOther.signature).not.to.equal((await run("mint", own)).json.signature);
    });
  });

  describe("identity credential", () => {
    it("names an unknown trait, or traits that are none, and stores nothing", async () => {
      const wallet = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65";
      for (const [traits, message] of [
        [
          '{"height":3}',
          'Provider microblog has no trait "height"; it has followers, verified, verified_type.',
        ],
        ["[]", `--traits must be a JSON object in quotes, such as '{"followers":1200}'.`],
      ] as const) {
        const { json, code } = await run("credential set", {
          wallet,
          provider: "microblog",
          accountId: "1",
          traits,
        });
        expect(json).to.deep.equal({ error: { message } });
        expect(code).to.equal(1);
      }
      expect((await run("credential list", { wallet })).json).to.deep.equal([]);
    });
  });

  describe("identity request", () => {
    it("tells a wallet without a credential where to prove an account", async () => {
      const { code, json } = await run("request", { consumer: program, account: "9" });
      expect(code).to.equal(1);
      expect(json.error).to.deep.include({
        code: "verification_not_found",
        action: "redirect",
        verifyUrl: `${stack.signerUrl}/verify?providers=microblog&wallet=0xa0Ee7A142d267C1f36714E4a8F75612F20a79720`,
      });
    });

    it("hands a verification to an entry point with arguments of its own", async () => {
      const [wallet, ballot] = ["0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc", stack.consumers.Ballot ?? ""];
      const traits = '{"follower_count":100,"video_count":1}';
      await run("credential set", { wallet, provider: "short_video", accountId: "5", traits });
      const { code, json } = await run("request", {
        consumer: ballot,
        account: wallet,
        submit:
          "vote (uint256 proposal, bool support, bytes32 identityHash, uint40 expiration, bytes signature)",
        args: '{"proposal":"0X0","support":true}',
      });
      expect(json.transactionHash).to.match(/^0x[0-9a-f]{64}$/);
      expect(code).to.equal(0);

      // Its name is enough for a contract that is known.
      const again = await run("request", {
        consumer: ballot,
        account: wallet,
        submit: "vote",
        args: '{"proposal":"0","support":false}',
      });
      expect(again.json.error).to.deep.equal({
        revert: "AlreadyVoted()",
        reason: "This person has already voted on this proposal, from this wallet or another one.",
      });
      expect(again.code).to.equal(1);
    });
  });
});
