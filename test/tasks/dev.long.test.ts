import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect } from "chai";
import { spawnDev, startDev } from "../fixtures/tasks/devProcess.ts";
import { root, runHardhat } from "../fixtures/tasks/hardhat.ts";

describe("identity dev", () => {
  it("writes all addresses into the file that the guide describes, and seeds no credential", async () => {
    const { ready } = await startDev();
    const guide = await readFile(join(root, "docs/ci.md"), "utf8");
    const [, members = ""] = /`--ready-file` keeps ([^.]+) in a file/.exec(guide) ?? [];
    const named = [...members.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named).to.have.members([...Object.keys(ready), "pid"]);
    expect(ready.chainId).to.equal(84532);
    expect(ready.consumers).to.include.keys("Airdrop", "IncentiveProgram");
    const { port } = new URL(ready.signerUrl);
    const { stdout } = await runHardhat(["identity", "credential", "list", "--json", "--port", port]);
    expect(JSON.parse(stdout)).to.deep.equal([]);
  });

  it("prints three commands that enrol one wallet and refuse a second", async () => {
    const dev = spawnDev(["--rpc-port", "0", "--port", "0"], {
      SSH_CONNECTION: "192.0.2.1 50000 192.0.2.2 22",
    });
    await dev.waitFor(/ and claim\..*\n/);
    const printed = stripVTControlCharacters(dev.output()).trimEnd();
    expect(printed.split("\n").filter((line) => line.length > 100)).to.deep.equal([]);
    const lines = printed.replaceAll(" \\\n  ", " ").split("\n");
    const commands = lines.filter((line) => line.startsWith("npx hardhat "));
    const results = [];
    for (const command of commands) {
      const [npx, hardhat, ...args] = command.match(/'[^']*'|\S+/g) ?? [];
      expect([npx, hardhat]).to.deep.equal(["npx", "hardhat"]);
      results.push(await runHardhat(args.map((arg) => arg.replaceAll("'", ""))));
    }
    const [stored, claimed, refused] = results;
    expect(stored).to.include({ code: 0 });
    expect(claimed).to.include({ code: 0 });
    expect(claimed?.stdout).to.match(/Accepted\s+claim in transaction 0x[0-9a-f]{64}/);
    expect(refused).to.include({ code: 1 });
    expect(refused?.stdout).to.match(
      /Refused\s+claim reverts with IdentityAlreadyUsed\(0x[0-9a-f]{4}…[0-9a-f]{4}\)/,
    );
  });
});
