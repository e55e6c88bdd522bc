import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { faults } from "../faults/contracts.ts";
import { runForge, solcCommand } from "../fixtures/packages/forge.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tests = "test/contracts/inheritedTests.t.sol";
const gates = "test/fixtures/contracts/Gates.sol";
const consumers = "test/contracts/fixtures/OnceConsumers.sol";

interface Planted {
  readonly what: string;
  readonly file: string;
  readonly edits: readonly (readonly [from: string, to: string])[];
  /** The inherited test that must fail, if it is one alone. */
  readonly test?: string;
}

/** Faults of the contracts by which nobody gets in who should not, so that no inherited test can fail. */
const unseen: readonly string[] = [
  "an identity is counted without the event, so that nobody can compare it with what was signed",
  "a round is one with all other rounds, so that a person who voted once may not vote on anything else",
  "identities are kept at a slot that is not the one of ERC-7201",
  "identities are kept for one implementation, so that an upgrade forgets them",
  "a contract that takes every call in silence passes for a registry",
  "a Safe passes for a registry",
  "the ownership moves in one step, to whatever address was typed",
  "the ownership can be renounced, after which no signer can be removed",
  "a consumer whose getter reverts has a policy: what it reverts with",
  "a contract that burns all its gas makes the constructor of a consumer burn it",
  "the event of a vote always says yes",
  "a deposit of a token that answers false counts",
  "OpenZeppelin's validator refuses every consumer that can be upgraded",
];

// Of three examples, nobody claims with a verification alone.
const ofTheContracts: readonly Planted[] = faults
  .filter(({ file }) =>
    /^contracts\/(SignerRegistry|VerifyConsumer|VerifyOnce|examples\/(?!Joint|HumanBacked|VerifiedPolicy)\w+)\.sol$/.test(
      file,
    ),
  )
  .filter(({ what }) => !unseen.includes(what))
  .map(({ what, file, from, to }) => ({ what, file, edits: [[from, to]] }));

const call = "_verifyOnce(identityHash, expiration, signature);\n        emit Chosen";

/** Replaces how `ChoosingConsumer` counts. */
const counting = (what: string, test: string, counts: string, member = ""): Planted => ({
  what,
  file: consumers,
  test: `test_claim_Refuses${test}`,
  edits: [
    [call, `${counts}\n        emit Chosen`],
    ["    event Chosen(", `    ${member}\n    event Chosen(`],
  ],
});

const round = (value: string) => `_verifyOnce(${value}, identityHash, expiration, signature);`;
const seen = "mapping(bytes32 => bool) private seen;";
const verify = "_verify(identityHash, expiration, signature);";
const ask = "registry().verifyVerification(msg.sender, identityHash, expiration, signature)";
const anyArgument = "ThePersonWhateverArgumentsTheyChoose";

const ofAConsumer: readonly Planted[] = [
  counting("it remembers nobody", "ASecondClaim", verify),
  counting(
    "it remembers wallets",
    "ASecondWallet",
    `require(!claimed[msg.sender]); ${verify} claimed[msg.sender] = true;`,
    "mapping(address => bool) private claimed;",
  ),
  counting(
    "it remembers signatures",
    "ASecondClaim",
    `require(!seen[keccak256(signature)]); ${verify} seen[keccak256(signature)] = true;`,
    seen,
  ),
  counting(
    "it remembers people for a week",
    "ThePersonAYearLater",
    `require(until[identityHash] < block.timestamp); ${verify} until[identityHash] = block.timestamp + 7 days;`,
    "mapping(bytes32 => uint256) private until;",
  ),
  counting(
    "it forgets people who come from a contract",
    "ASecondWalletAfterAContract",
    `require(!seen[identityHash]); ${verify} seen[identityHash] = msg.sender.code.length == 0;`,
    seen,
  ),
  counting("its caller chooses the round by a text", anyArgument, round("keccak256(bytes(memo))")),
  counting("its caller chooses the round by an address", anyArgument, round("bytes20(friend)")),
  counting("its caller chooses the round by a small number", anyArgument, round("bytes32(level)")),
  counting(
    "it grants a day after the expiration",
    "AnExpiredVerification",
    "require(expiration + 1 days >= block.timestamp); _verifyOnceWithoutClock(msg.sender, 0, identityHash, expiration, signature);",
  ),
  counting(
    "it does not care what the registry says",
    "AForgedSignature",
    `require(!seen[identityHash]); try ${ask} {} catch {} seen[identityHash] = true;`,
    seen,
  ),
];

const planted: readonly Planted[] = [...ofTheContracts, ...ofAConsumer];

/** The consumers of ours that `inheritedTests.t.sol` tests. */
const consumersOfOurs = [
  ...readFileSync(join(root, tests), "utf8").matchAll(/^contract (\w+)Test is /gm),
].map(([, name = ""]) => name);

/** The consumer whose tests must fail: compiling those of all would take minutes. */
function testsOf({ what, file }: Planted): string[] {
  const [, example] = /examples\/(\w+)\.sol$/.exec(file) ?? [];
  if (example !== undefined) return [`${example}Once`];
  if (what.startsWith("a hook that returns")) return ["SilentOnce"];
  return [what.startsWith("a verification without the clock") ? "EntryPointOnce" : "ChoosingOnce"];
}

/** Leaves the tests of other consumers out. */
function keepTests(text: string, kept: readonly string[]): string {
  return text.replaceAll(/^(?:\/\/\/.*\n)*contract (\w+)Test is [\s\S]*?^\}\n/gm, (contract, name: string) =>
    kept.includes(name) ? contract : "",
  );
}

/** The result of one test, as forge prints it. */
interface Result {
  readonly status: "Success" | "Failure" | "Skipped";
  readonly reason: string | null;
}

/** Suites by `<file>:<contract>`. */
type Report = Readonly<Record<string, { readonly test_results: Readonly<Record<string, Result>> }>>;

describe("The tests that a consumer inherits", () => {
  let report: Report;

  before(async function () {
    this.timeout(600_000);
    const folder = await temporaryFolder();
    const write = (file: string, text: string, mode = 0o644) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text, { mode });
    };
    mkdirSync(join(folder, "lib"));
    symlinkSync(join(root, "node_modules/@openzeppelin/contracts"), join(folder, "lib/openzeppelin"));
    write("remappings.txt", "@openzeppelin/contracts/=lib/openzeppelin/\n");
    write("solc", solcCommand, 0o755);
    write(
      "foundry.toml",
      '[profile.default]\nsolc = "./solc"\noffline = true\nsrc = "copies"\ntest = "copies"\n',
    );
    const copied = globSync("contracts/{*,interfaces/*,testing/*,examples/*}.sol", { cwd: root });
    function copy(name: string, kept: readonly string[]): void {
      for (const file of [...copied, gates, consumers]) {
        cpSync(join(root, file), join(folder, "copies", name, file), { recursive: true });
      }
      write(join("copies", name, tests), keepTests(readFileSync(join(root, tests), "utf8"), kept));
    }
    copy("sound", consumersOfOurs);
    for (const [name, planting] of planted.entries()) {
      const { file, edits } = planting;
      copy(String(name), testsOf(planting));
      let text = readFileSync(join(root, file), "utf8");
      for (const [from, to] of edits) {
        expect(text, file).to.include(from);
        text = text.replace(from, () => to);
      }
      write(join("copies", String(name), file), text);
    }
    const { stdout, stderr } = runForge(this, ["test", "--json"], folder);
    expect(stdout, stderr).to.match(/^\{/m);
    report = JSON.parse(stdout.slice(stdout.indexOf("{")));
  });

  /** Lists the results of a copy of the contracts. */
  const resultsOf = (name: string) =>
    Object.entries(report)
      .filter(([suite]) => suite.startsWith(`copies/${name}/`))
      .flatMap(([suite, { test_results }]) =>
        Object.entries(test_results).map(([title, { status, reason }]) => {
          return { title: `${suite.split(":")[1]} ${title.replace("()", "")}`, status, reason };
        }),
      );

  it("pass for each consumer of ours", () => {
    const results = resultsOf("sound");
    expect(results).to.have.length((consumersOfOurs.length - 1) * 10 + 5);
    expect(results.filter(({ status }) => status !== "Success")).to.deep.equal([]);
  });

  for (const [name, { what, file, test }] of planted.entries()) {
    it(`fail in ${file} if ${what}`, () => {
      const failed = resultsOf(String(name)).filter(({ status }) => status === "Failure");
      expect(failed, "failed tests").not.to.deep.equal([]);
      for (const { title, reason } of failed) {
        if (title.endsWith(" setUp")) continue;
        expect(reason, title).to.match(/^(The consumer admits .*\.|Not tried\b.*)/);
      }
      if (test === undefined) return;
      expect(failed.map(({ title }) => title)).to.include(`ChoosingOnceTest ${test}`);
      expect(failed.find(({ title }) => title.endsWith(test))?.reason).to.match(/^The consumer admits /);
    });
  }
});
