import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { artifacts } from "hardhat";
import { deploy, serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { announce } from "../fixtures/tasks/announcedStack.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("identity attack --consumer", () => {
  it("attacks a deployed contract of nobody's by the ABI in a file, and says what is wrong with another file", async () => {
    const { rpcUrl, provider, deployer, registry } = await serveChainWithRegistry();
    const gate = await (await deploy(deployer, "ExternalGate", [registry.target])).getAddress();
    const folder = await temporaryFolder();
    const write = (name: string, content: string) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const { abi } = await artifacts.readArtifact("ExternalGate");
    const [port, ofOwn] = [
      announce({ rpcUrl }),
      announce({ rpcUrl, port: 8, own: [{ name: "Gate", address: gate, abi }] }),
    ];
    const sarif = join(folder, "attack.sarif");
    const attack = (...args: string[]) =>
      runHardhat([
        "identity",
        "attack",
        "--consumer",
        gate,
        "--json",
        ...args,
        ...(args.includes("--port") ? [] : ["--port", port]),
      ]);
    const blocks = await provider.getBlockNumber();
    const code = await provider.getCode(gate);
    for (const [args, name] of [
      [["--sarif", sarif], "ExternalGate"],
      [["--abi", write("abi.json", JSON.stringify(abi))], gate],
      [["--abi", write("out.json", `\ufeff${JSON.stringify({ abi })}`)], gate],
      [["ExternalGate"], "ExternalGate"],
      [["--port", ofOwn], "Gate"],
    ] as const) {
      const { code: exit, stdout } = await attack(...args);
      const { contract, findings } = JSON.parse(stdout);
      expect([exit, contract, findings.map(({ attack: found }: { attack: string }) => found)]).to.deep.equal([
        1,
        name,
        ["same wallet twice", "second wallet"],
      ]);
      // From now on the code of no contract here.
      await provider.send("hardhat_setCode", [gate, `${code}00`]);
      expect(await provider.getBlockNumber()).to.equal(blocks);
    }
    expect(JSON.parse(readFileSync(sarif, "utf8")).runs[0].results).to.have.length(2);
    for (const [args, words] of [
      [
        [],
        `No contract of this project has the code of ${gate}: name the contract that has its ABI, or pass a JSON file as --abi.`,
      ],
      [["--abi", join(folder, "none.json")], "--abi must name a JSON file, got "],
      [["--abi", write("text.json", "contract")], "--abi must name a JSON file, got "],
      [
        ["--abi", write("empty.json", "{}")],
        "--abi must name a file with an ABI or with a compiled contract",
      ],
      [["--args", "7"], "--args must be JSON: a list"],
      [["--write"], "--write is for contracts that a test can deploy: leave --consumer out."],
      [["Nothing"], "This project has no contract Nothing. For a deployed one, "],
      [["ExternalGat"], "This project has no contract ExternalGat. Did you mean ExternalGate? For"],
      [
        ["ExternalGate", "--args", '{"amounts":1}'],
        'No function or constructor has the parameter "amounts" of --args. There are ',
      ],
    ] as const) {
      const { code, stdout } = await attack(...args);
      expect([code, JSON.parse(stdout).error.message.startsWith(words)], stdout).to.deep.equal([2, true]);
    }
    await provider.send("hardhat_setCode", [gate, "0x"]);
    const empty = await attack();
    expect(empty.code).to.equal(2);
    expect(JSON.parse(empty.stdout).error.message).to.equal(
      `No contract is deployed at ${gate} on this chain, 84532.`,
    );
  });
});
