import { stripVTControlCharacters } from "node:util";
import { expect } from "chai";
import { spawnDev } from "../fixtures/tasks/devProcess.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";

describe("identity dev", () => {
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
