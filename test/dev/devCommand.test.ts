import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { HDNodeWallet, JsonRpcProvider } from "ethers";
import { development } from "../../packages/protocol/development.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { spawnDev } from "../fixtures/tasks/devProcess.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";
import { readGuide } from "../fixtures/tasks/lintProject.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const phrase = "test test test test test test test test test test test junk";
const account = (index: number) => HDNodeWallet.fromPhrase(phrase, "", `m/44'/60'/0'/0/${index}`).address;

/** The ready file of a killed stack. */
const killed = { pid: 1, signerUrl: "http://127.0.0.1:1" };

/** Starts `identity dev <args>` on free ports; what it prints on each stream is kept apart. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const dev = spawnDev(["--rpc-port", "0", "--port", "0", "--demo-port", "0", ...args], env);
  const printed = { stdout: "", stderr: "" };
  dev.process.stdout?.on("data", (text) => (printed.stdout += text));
  dev.process.stderr?.on("data", (text) => (printed.stderr += text));
  return { ...dev, printed };
}

/** Occupies a port, unless another program has it. */
async function occupy(port: number): Promise<void> {
  const server = createServer();
  await new Promise((resolve) => server.once("error", resolve).listen(port, "127.0.0.1", () => resolve(0)));
  onCleanup(() => server.close());
}

describe("The command identity dev", () => {
  it("wants the ports 8545 and 3000 unless it is told others", async () => {
    await occupy(8545);
    await occupy(3000);
    const readyFile = join(await temporaryFolder(), "stack.json");
    for (const [args, port] of [
      [[], 8545],
      [["--rpc-port", "0"], 3000],
    ] as const) {
      writeFileSync(readyFile, JSON.stringify(killed));
      const { code, stderr } = await runHardhat(["identity", "dev", "--ready-file", readyFile, ...args]);
      expect([code, existsSync(readyFile)]).to.deep.equal([1, false]);
      expect(stderr).to.include(`Port ${port} cannot be used: `);
    }
  });

  it("refuses a file of --ready-file that it cannot write, before anything starts", async () => {
    const file = join(await temporaryFolder(), "none", "stack.json");
    const { code, stderr } = await runHardhat(["identity", "dev", "--ready-file", file]);
    expect(
      [code, stderr.includes(`--ready-file names ${file}, which cannot be written (ENOENT).`)],
      stderr,
    ).to.deep.equal([1, true]);
  });

  it("refuses a block time that is no number of seconds", async () => {
    for (const time of ["0", "0.0", "-1", "2s", "1e3", ".5", "0.0001", "1000000000"]) {
      const { code, stderr } = await runHardhat(["identity", "dev", `--block-time=${time}`]);
      expect(code, time).to.equal(1);
      expect(stderr).to.include(
        `--block-time must be a number of seconds, such as 2 or 0.2, got ${JSON.stringify(time)}.`,
      );
    }
  });

  it("tells scripts one line of JSON and a file that goes with it, and obeys its options", async () => {
    const folder = await temporaryFolder();
    const [readyFile, store] = [join(folder, "the stack.json"), join(folder, "a store.sqlite")];
    writeFileSync(readyFile, JSON.stringify(killed));
    const options = ["--ready-file", readyFile, "--store", store, "--block-time", "3600"];
    const dev = start(["--json", ...options]);
    const line = await dev.waitFor(/^\{"rpcUrl".*\}$/m);
    const ready = JSON.parse(line);
    const { pid, ...told } = JSON.parse(readFileSync(readyFile, "utf8"));
    expect(told).to.deep.equal(ready);
    expect(pid).to.equal(dev.process.pid);
    const [, members = ""] = /^The file has ([^.]+)\./m.exec(readGuide("docs/ci.md")) ?? [];
    const named = [...members.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named).to.have.members([...Object.keys(ready), "pid"]);
    expect(existsSync(`${readyFile}.new`)).to.equal(false);
    expect(existsSync(store)).to.equal(true);
    expect(ready.settings.IDENTITY_DATABASE_URL).to.equal(`file:${store}`);

    const node = new JsonRpcProvider(ready.rpcUrl, ready.chainId, {
      staticNetwork: true,
      cacheTimeout: -1,
    });
    const blocks = await node.send("eth_blockNumber", []);
    const [from, to] = [account(4), account(5)];
    await node.send("eth_sendTransaction", [{ from, to }]);
    expect(await node.send("eth_blockNumber", [])).to.equal(blocks);
    node.destroy();

    expect(await dev.stop("SIGTERM")).to.equal(0);
    expect(existsSync(readyFile)).to.equal(false);
    expect(existsSync(store)).to.equal(true);
    expect(dev.printed.stdout).to.equal(`${line}\n`);
    expect(dev.printed.stderr).to.equal("");
  });

  it("tells a person who came by SSH each step, where everything is and what to do next, and ends on Ctrl-C", async () => {
    const dev = start([], { SSH_CONNECTION: "192.0.2.1 50000 192.0.2.2 22" });
    await dev.waitFor(/ and claim\.\n/);
    const [, settings = ""] = /^\. (.*)$/m.exec(dev.printed.stdout) ?? [];
    const [, store = ""] =
      /^export IDENTITY_DATABASE_URL='file:(.*)'$/m.exec(readFileSync(settings, "utf8")) ?? [];
    expect(existsSync(store)).to.equal(true);
    const ran = [];
    for (const command of dev.printed.stdout.replaceAll(" \\\n  ", " ").match(/^npx hardhat .*$/gm) ?? []) {
      const [, , ...args] = command.match(/'[^']*'|\S+/g) ?? [];
      ran.push(await runHardhat(args.map((arg) => arg.replaceAll("'", ""))));
    }
    expect(ran.map(({ code }) => code)).to.deep.equal([0, 0, 1]);
    expect(ran[2]?.stdout).to.include("claim reverts with IdentityAlreadyUsed(");
    expect(await dev.stop("SIGINT")).to.equal(0);
    expect(dev.printed.stderr).to.equal("");
    const said = dev.printed.stdout;
    const commands = said.split("\n").filter((line) => /^(npx|ssh| {2}-)/.test(line));
    for (const line of commands) expect(line.length, line).to.be.at.most(80);
    const find = (name: string) => new RegExp(`^${name} +(\\S+)$`, "m").exec(said)?.[1] ?? name;
    const [chain, service, demo] = [find("Chain +84532 at"), find("Signer service"), find("Demo")];
    const port = (url: string | undefined) =>
      `${new URL(url ?? "").port}:127.0.0.1:${new URL(url ?? "").port}`;
    const [, sandbox] = /\\\n {2}-L (\d+):/.exec(said) ?? [];
    const own = ` --port ${new URL(service).port}`;
    expect(said).to.equal(`Compiling the contracts …
Starting the chain …
Deploying the registry and the example consumers …
Starting the signer service, its verify page and the demo …

Chain             84532 at ${chain}
Signer service    ${service}
Verify page       ${service}/verify
Demo              ${demo}
Signer            ${development.signer}
SignerRegistry    ${find("SignerRegistry")}
Airdrop           ${find("Airdrop")}
Ballot            ${find("Ballot")}
IncentiveProgram  ${find("IncentiveProgram")}
MembershipPass    ${find("MembershipPass")}
VerifiedVault     ${find("VerifiedVault")}

To run identity-signer on this store, read its settings into your shell:
. ${settings}
npx --no identity-signer credential list

To open the pages in a browser on your own machine, forward these ports to it:
ssh -N -L ${port(chain)} -L ${port(service)} \\
  -L ${sandbox}:127.0.0.1:${sandbox} -L ${port(demo)} user@host

Without a browser, try the example Airdrop in another terminal.
Account 1 is Alice's phone and account 2 her laptop, which the contract refuses:

npx hardhat identity credential set --wallet 1,2 --provider microblog \\
  --account-id 1001 --traits '{"followers":1200}'${own}
npx hardhat identity request --consumer Airdrop --account 1 --submit claim \\
 ${own}
npx hardhat identity request --consumer Airdrop --account 2 --submit claim \\
 ${own}

Ready. Ctrl-C stops the stack.
Open ${demo} and claim.

Stopping …
Stopped; nothing is left running.
`);
    for (const file of [settings, store]) expect(existsSync(dirname(file)), file).to.equal(false);
  });
});
