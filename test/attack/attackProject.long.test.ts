import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect } from "chai";
import { onCleanup } from "../fixtures/cleanup.ts";
import { completeConsumer, lineOf, lintProject } from "../fixtures/tasks/lintProject.ts";

/** A contract's part of the `--json` output. */
interface Result {
  readonly contract: string;
  readonly findings: readonly { readonly attack: string }[];
  readonly untried: readonly { readonly refusal: string }[];
}

describe("identity attack, in a project of many contracts,", () => {
  it("tries each contract of a project by itself, tells two of one name apart, and names them in a monorepo's report", async () => {
    const { folder, write, hardhat } = await lintProject();
    // A project in a folder of a repository, with a name that a URI has to escape.
    mkdirSync(join(dirname(folder), ".git"));
    onCleanup(() => rmSync(join(dirname(folder), ".git"), { recursive: true }));
    const withConstructor = (name: string, parameters: string, before = "", body = "") =>
      completeConsumer(name, "")
        .replace(
          "constructor(address registry_) VerifyOnce(registry_) {}",
          `constructor(address registry_${parameters}) VerifyOnce(registry_) { ${body} }`,
        )
        .replace("contract ", `${before}\ncontract `);
    const open = `mapping(address => bool) private seen;
function claim(bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
  require(!seen[msg.sender]); seen[msg.sender] = true; ++claims; _verify(identityHash, expiration, signature);
} uint256 public claims;`;
    // The compiler counts bytes.
    write("contracts/a b/Drop.sol", completeConsumer("Drop", `// ½ ≈ •´.*:˚ 人\n${open}`));
    write(
      "contracts/c/Drop.sol",
      completeConsumer("Drop", open).replace(
        "contract Drop",
        "/// @custom:identity-ignore second-wallet, made-up-verification-after-a-true-one\ncontract Drop",
      ),
    );
    write(
      "contracts/c/Lists.sol",
      withConstructor(
        "Lists",
        ", uint256[] memory weights, Kind[] memory kinds, Limits memory limits, uint16[2][] memory pairs, Kind[2] memory both, Pair memory pair",
        "enum Kind { One, Two } struct Limits { uint16 spendCap; uint8[] weekendHours; } struct Pair { Kind kind; uint96 price; }",
      ),
    );
    write(
      "contracts/c/Small.sol",
      withConstructor(
        "Small",
        ", uint16 spendCap, uint8 weekendHour, Kind startKind, int8 endOffset",
        "enum Kind { One, Two }",
      ),
    );
    write(
      "contracts/c/Linked.sol",
      withConstructor(
        "Linked",
        "",
        "library Sums { function sum(uint256 a) external pure returns (uint256) { return a + 1; } }",
        "Sums.sum(1);",
      ),
    );
    write(
      "contracts/c/Closed.sol",
      withConstructor("Closed", "", "", 'if (registry_ != address(0)) revert("closed");'),
    );
    // ethers prints what it cannot read, and would print it beside the JSON.
    const callback = ", function(uint256) external returns (uint256) back";
    write("contracts/c/Callback.sol", withConstructor("Callback", callback));
    // Nothing says that the parameter is the registry, so other addresses are tried after it.
    const shut = withConstructor("Shut", "", "", 'if (registry_ != address(0)) revert("shut");');
    write("contracts/c/Shut.sol", shut.replaceAll("registry_", "r"));
    const walk = "function walk(function(uint256) external returns (uint256) step) external { step(1); }";
    const sound = withConstructor("Walker", "").replace(/\}\s*$/, `${walk}\n}\n`);
    write("contracts/c/Walker.sol", sound);
    const sarif = join(folder, "missing/reports/attacks.sarif");
    const all = await hardhat(["identity", "attack", "--json", "--sarif", sarif]);
    expect(all.code, all.stderr).to.equal(1);
    const { contracts } = JSON.parse(all.stdout);
    const told = contracts.map(({ contract, findings, untried }: Result) => [
      contract,
      findings.map(({ attack }) => attack).join(),
      untried.map(({ refusal }) => refusal).join(),
    ]);
    const closed = 'The constructor of Closed reverts with Error("closed").';
    const linked =
      "Linked needs Sums linked, which its own deployment does: deploy it to a local node, and name it with --consumer.";
    const [broken, ...others] = told;
    expect(broken).to.deep.equal(["contracts/a b/Drop.sol:Drop", "second wallet", ""]);
    for (const [name, start] of [
      ["Callback", "The constructor of Callback reverts with"],
      ["Closed", closed],
    ]) {
      const [contract, findings, untried] = others.shift();
      expect([contract, findings, untried.startsWith(start)]).to.deep.equal([name, "", true]);
    }
    expect(others).to.deep.equal([
      ["contracts/c/Drop.sol:Drop", "", ""],
      ["Linked", "", linked],
      ["Lists", "", ""],
      ["Shut", "", others[3]?.[2]],
      ["Small", "", ""],
      ["Walker", "", "walk has a parameter of a function type, which the attacks do not support."],
    ]);
    expect(others[3][2]).to.match(/^The constructor of Shut reverts with Error\("shut"\)\./);

    const readRun = () => JSON.parse(readFileSync(sarif, "utf8")).runs[0];
    const { results, invocations } = readRun();
    const placeOf = ({ locations }: { locations: { physicalLocation: object }[] }) => locations[0];
    const prefix = encodeURIComponent(basename(folder));
    const place = (file: string, start: string) => ({
      physicalLocation: {
        artifactLocation: { uri: `${prefix}/${file.replace(" ", "%20")}`, uriBaseId: "%SRCROOT%" },
        region: { startLine: lineOf(join(folder, file), start) },
      },
    });
    expect(results.map(placeOf)).to.deep.equal([place("contracts/a b/Drop.sol", "function claim(")]);
    // GitHub closes no alert after an unsuccessful run.
    expect(invocations).to.have.length(1);
    const [{ executionSuccessful, toolExecutionNotifications: notifications }] = invocations;
    // A note says what a control did not let the attack prove.
    const notes = notifications.filter(({ level }: { level: string }) => level === "error");
    expect(executionSuccessful).to.equal(false);
    expect(notes.map(placeOf)).to.deep.equal(
      ["Callback", "Closed", "Linked", "Shut", "Walker"].map((name) =>
        place(`contracts/c/${name}.sol`, `contract ${name} `),
      ),
    );
    expect(notes[2].message.text).to.equal(`Linked: ${linked}`);

    const attack = async (...args: string[]) => {
      const { code, stdout } = await hardhat(["identity", "attack", ...args]);
      return [code, stdout];
    };
    for (const [name, args, said] of [
      ["Lists", '{"weights":"x"}', 'The argument weights must be uint256[], such as [25], got "x".\n'],
      [
        "Lists",
        '{"limits":{"spendCap":70000,"weekendHours":[]}}',
        'The argument limits must be (uint16 spendCap, uint8[] weekendHours), such as {"spendCap":25,"weekendHours":[25]}, got {"spendCap":70000,"weekendHours":[]}.\n',
      ],
      ["Small", '["x",1,1,1]', 'The argument spendCap must be uint16, such as 25, got "x".\n'],
      ["Linked", "{}", `${linked}\n`],
    ] as const) {
      rmSync(sarif);
      expect(await attack(name, "--args", args, "--sarif", sarif)).to.deep.equal([2, said]);
      expect(readRun().invocations[0]).to.have.property("executionSuccessful", false);
      expect(readRun().results).to.deep.equal([]);
    }
    expect((await attack("Lists", "--args", '{"weights":[1,2]}'))[0]).to.equal(0);
    expect((await attack("Drop"))[0], "an ambiguous name").to.equal(2);
    const [code, said] = await attack("--sarif", folder);
    expect(code).to.equal(2);
    expect(said).to.match(/^--sarif must name a file that can be written, got \S+: EISDIR/);
  }).timeout(180_000);
});
