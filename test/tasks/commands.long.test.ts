import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import hre from "hardhat";
import { development } from "../../protocol/development.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { mintVerification } from "../../tasks/internal/consumer/mint.ts";
import { connectToNode } from "../../tasks/internal/stack/connect.ts";
import { startDevStack } from "../fixtures/tasks/devStack.ts";
import { root, runHardhatProcess } from "../fixtures/tasks/hardhat.ts";
import { runIdentitySignerProcess } from "../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

// Hardhat's well-known accounts 1 to 3.
const [alice, bob, carol] = [
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
];
const newSigner = `0x${"12".repeat(20)}`;
const account = { provider: "microblog", accountId: "1001", traits: { followers: "1200" } };

// Elsewhere commands run in a process that has loaded them already: each of them runs once as what it is.
describe("The command line of the tasks", function () {
  this.timeout(120_000);

  /** Words in the command lines → what they stand for. */
  const known: Record<string, string> = { alice, bob, carol, newSigner };

  before(async () => {
    const stack = await startDevStack();
    const { databaseUrl, port, consumers } = stack;
    const folder = await temporaryFolder();
    const store = await openCredentialStore({ databaseUrl, masterSecret: development.masterSecret });
    const authenticatedAt = Math.floor(Date.now() / 1000);
    for (const wallet of [alice, bob]) await store.set({ ...account, wallet, authenticatedAt });
    const consumer = consumers.Ballot ?? "";
    await store.pin({ chainId: 84532, consumer, policyHash: `0x${"ab".repeat(32)}`, cutoffBlock: 0n });
    await store.close();
    const { provider: node } = await connectToNode(hre, stack.rpcUrl);
    const asked = { consumer: consumers.IncentiveProgram ?? "", user: alice, identity: "ann" };
    const { expiration, ...verification } = await mintVerification(node, asked);
    Object.assign(known, consumers, verification, { expiration: String(expiration), port: String(port) });
    Object.assign(known, { folder, signer: stack.signer });
    const exported = join(folder, "exported");
    const { code } = await runHardhatProcess([
      ...["identity", "credential", "export", "--to", exported, "--port", String(port)],
    ]);
    expect(code).to.equal(0);
    Object.assign(known, { exported });
  });

  const program = "--consumer IncentiveProgram";
  for (const [command, code, output] of [
    [`mint ${program} --user {alice} --identity ann`, 0, /^identityHash +{identityHash}$/m],
    [`mint ${program} --user {alice}`, 1, /--identity is missing\./],
    [
      `check ${program} --user {alice} --identity-hash {identityHash} --expiration {expiration} --signature {signature}`,
      ...[0, /^Valid: the registry accepts it for this user at this consumer now\.$/m],
    ],
    [
      `check ${program} --user {bob} --identity-hash {identityHash} --expiration {expiration} --signature {signature}`,
      ...[1, /^Refused +NotSigner\(0x/m],
    ],
    [`policy ${program}`, 0, /^Condition +followers gt 1000$/m],
    ["policy", 0, /consumers checked/],
    [
      "request --consumer MembershipPass --account 1 --json",
      ...[1, /^\{"error":\{"code":"verification_not_found",.*\}\}$/m],
    ],
    [
      `request ${program} --account 2 --submit enroll`,
      0,
      /^Accepted +enroll in transaction 0x[0-9a-f]{64} \(\d+ gas\)$/m,
    ],
    [
      "credential set --wallet {carol} --provider microblog --account-id 7",
      ...[0, /^Stored: microblog account for {carol}\.\nIt has no traits/m],
    ],
    [
      "credential list --wallet {alice}",
      0,
      /^{alice} {2}microblog {2}authenticated .*Z {2}\{"followers":"1200"\}$/m,
    ],
    [
      "credential delete --wallet {newSigner} --provider microblog",
      1,
      /^{newSigner} has no microblog credential\.$/m,
    ],
    [
      "credential export --to {folder}/again",
      0,
      /^Exported \d credentials and \d pins to {folder}\/again\.$/m,
    ],
    ["credential import --from {exported}", 0, /^Imported from {exported}: \d new credentials, /m],
    ["pins list", 0, /chain 84532 {2}policy 0x(ab){32} {2}cutoff 0 {2}since .*Z$|^No pins\.$/m],
    ["pins reset --consumer VerifiedVault", 1, /^{VerifiedVault} is not held to any policy\.$/m],
    ["signers list", 0, /^Signer +{signer} since block \d+, signs for http/m],
    ["signers add --signer {newSigner} --dry-run", 0, /^Not sent +addSigner\({newSigner}\)/m],
    ["signers remove --signer {newSigner}", 1, /{newSigner} is not on the allowlist/],
    ["send-calls --to {bob} --from 3", 0, /^Status +200 confirmed$/m],
    ["storage --consumer Ballot --identity-used {identityHash}", 0, /^used +false$/m],
    ["storage --address {Ballot} --position 5", 1, /--position /],
  ] as [string, number, RegExp][]) {
    it(`runs hardhat identity ${command}`, async () => {
      const fill = (text: string) =>
        text.replace(/\{([A-Za-z]\w+)\}/g, (_, name: string) => known[name] ?? name);
      const result = await runHardhatProcess([
        ...["identity", ...command.split(" ").map(fill)],
        ...(command === "policy" ? [] : ["--port", known.port ?? ""]),
      ]);
      expect(result.stdout + result.stderr).to.match(new RegExp(fill(output.source), output.flags));
      expect(result.code).to.equal(code);
      expect(result.stderr).not.to.include("    at ");
    });
  }

  it("tells what each is for, and what a task is that there is not", async () => {
    const help = await runHardhatProcess(["identity", "--help"]);
    expect(help.code).to.equal(0);
    for (const name of hre.tasks.getTask("identity").subtasks.keys()) expect(help.stdout).to.include(name);
    const { code, stderr } = await runHardhatProcess(["identity", "mints"]);
    expect([code, stderr.includes("mints")]).to.deep.equal([1, true]);
  });

  it("reads a credential from standard input", async () => {
    const folder = await temporaryFolder();
    const env = {
      IDENTITY_DATABASE_URL: `file:${join(folder, "identity.sqlite")}`,
      IDENTITY_MASTER_SECRET: `0x${"5e".repeat(32)}`,
    };
    const { code, stdout } = await runHardhatProcess(
      [
        "identity",
        "credential",
        "set",
        "--wallet",
        alice,
        "--provider",
        "microblog",
        "--from",
        "-",
        "--json",
      ],
      { env, input: '{"accountId":1001,"traits":{"followers":"7"},"authenticatedAt":1760000000}\n' },
    );
    expect(JSON.parse(stdout)).to.deep.include({ wallets: [alice], traits: { followers: "7" } });
    expect(code).to.equal(0);
  });
});

describe("The command line of identity-signer", function () {
  this.timeout(120_000);

  let env: NodeJS.ProcessEnv;
  let folder: string;
  const { version, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

  before(async () => {
    folder = await temporaryFolder();
    const databaseUrl = `file:${join(folder, "identity.sqlite")}`;
    const masterSecret = `0x${"5e".repeat(32)}`;
    const store = await openCredentialStore({ databaseUrl, masterSecret });
    await store.set({ ...account, wallet: alice, authenticatedAt: 1_760_000_000 });
    await store.close();
    env = {
      IDENTITY_DATABASE_URL: databaseUrl,
      IDENTITY_MASTER_SECRET: masterSecret,
      IDENTITY_ENCRYPTION_SECRET: `0x${"6e".repeat(32)}`,
    };
    const exported = await runIdentitySignerProcess(["export", "--to", join(folder, "exported")], env);
    expect(exported.code, exported.output).to.equal(0);
  });

  for (const [command, code, output] of [
    ["--help", 0, /^identity-signer backup --to <file> +copies an SQLite store/m],
    ["--version", 0, new RegExp(`^${version.replaceAll(".", "\\.")}\n$`)],
    ["serve", 1, /^"serve" is not a command\.\nidentity-signer/],
    ["migrate", 0, /^(\d{3}-[a-z-]+ {2}ran \S+Z\n)+$/],
    ["migrate --status", 0, /^(\d{3}-[a-z-]+ {2}ran \S+Z\n)+$/],
    ["backup --to {folder}/backup.sqlite", 0, /^Backed up to {folder}\/backup\.sqlite\.\n$/],
    ["export --to {folder}/again", 0, /Exported 1 credentials and 0 pins to {folder}\/again\.\n$/],
    ["import --from {folder}/exported", 0, /Imported from {folder}\/exported: 0 new credentials, /],
    ["re-encrypt --status", 1, /^key \S+ {2}\d+ rows?, and every new one$/m],
    ["audit list", 0, /^\S+Z {2}credential-set {2}/m],
    ["audit verify", 0, / entries in \d+ rows of \d+ chains: nothing is wrong\.\n$/],
    ["sessions end", 0, /^Ended: whoever was signed in at the verify page has to sign in again\.\n$/],
  ] as [string, number, RegExp][]) {
    it(`runs identity-signer ${command}`, async () => {
      const fill = (text: string) => text.replaceAll("{folder}", folder);
      const result = await runIdentitySignerProcess(fill(command).split(" "), env);
      expect(result.output).to.match(new RegExp(fill(output.source), output.flags));
      expect(result.code).to.equal(code);
    });
  }

  it("encrypts a store anew", async () => {
    const copy = { ...env, IDENTITY_DATABASE_URL: `file:${join(folder, "copy.sqlite")}` };
    const imported = await runIdentitySignerProcess(["import", "--from", join(folder, "exported")], {
      ...copy,
      IDENTITY_ENCRYPTION_SECRET: "",
    });
    expect(imported.code, imported.output).to.equal(0);
    const { code, output } = await runIdentitySignerProcess(["re-encrypt"], copy);
    expect(output).to.match(/^Encrypted anew: \d+\.$/m);
    expect(code).to.equal(0);
  });

  it("refuses a Node that is too old in words", async () => {
    const [oldest] = /\d+\.\d+/.exec(engines.node) ?? [];
    for (const [node, code] of [
      ["v22.12.0", 1],
      ["v20.20.2", 1],
      [`v${oldest}.0`, 0],
    ] as const) {
      const pretend = `data:text/javascript,Object.defineProperty(process,"version",{value:"${node}"})`;
      const asked = await runIdentitySignerProcess(["--version"], {}, ["--import", pretend]);
      expect(asked.code, node).to.equal(code);
      if (code === 1)
        expect(asked.output).to.equal(`identity-signer needs Node ${oldest} or newer; this is ${node}.\n`);
    }
  });
});
