import { readFileSync } from "node:fs";
import { expect } from "chai";
import { network } from "hardhat";
import { encodeCall } from "../../packages/client/index.ts";
import { readSnippets } from "../fixtures/markdown.ts";
import gas from "../vectors/gas.json" with { type: "json" };

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");

const toNumber = (text = "") => Number(text.replaceAll(",", ""));

describe("The pages on consumers and on gas", () => {
  it("tell the gas of the snapshot", () => {
    const named = (example: string) => Object.keys(gas).find((call) => call.startsWith(`${example}.`));
    const examples = [...read("contracts.md").matchAll(/^- `(\w+)` \(([\d,]+) gas\): /gm)].map(
      ([, name = "", used]) => [named(name), toNumber(used)],
    );
    const compared = [...read("gas.md").matchAll(/^\| `([^`]+)`[^|]*\| +([\d,]+) \|/gm)]
      .filter(([, call = ""]) => call in gas)
      .map(([, call, used]) => [call, toNumber(used)]);
    expect(examples).to.have.length(6);
    expect(compared).to.have.length(4);
    for (const told of [examples, compared]) expect(gas).to.include(Object.fromEntries(told));
  });

  it("tell what a claim costs elsewhere by the same measurements on the page that compares", () => {
    const measured = [...read("gas.md").matchAll(/^\| `[^`]+`[^|]*\| +([\d,]+) \|/gm)].map(
      ([, used]) => used,
    );
    const compared = read("compare.md");
    const row = /^\| gas of a claim +\| ([\d,]+) +\| ([\d,]+) +\|$/m.exec(compared)?.slice(1) ?? [];
    const named = [...compared.matchAll(/Gas:\s+([\d,]+\d|not measured)/g)].map(([, used]) => used);
    expect(row).to.have.length(2);
    expect(named).to.have.length(7);
    expect(measured).to.include.members([...row, ...named.filter((used) => used !== "not measured")]);
  });

  it("show how a service reads the person behind an agent with one eth_call", async () => {
    const { ethers, identity, provider } = await network.create("identityLocal");
    const contract = await ethers.deployContract("HumanBackedAgents", [await identity.deployRegistry()]);
    const [, wallet, agent, stranger] = await ethers.getSigners();
    if (!wallet || !agent || !stranger) throw new Error("The node has too few accounts.");
    const { args, identityHash } = await identity.mint({
      consumer: contract,
      user: wallet,
      identity: "alice",
    });
    await contract.connect(wallet).back(agent.address, 2n, ...args);

    const snippet = readSnippets("docs/contracts.md").find(({ text }) => text.includes("eth_call"));
    const body = snippet?.text.replace(/^import .*\n/m, "") ?? "";
    const asked: string[] = [];
    const node = {
      request: (call: { method: string; params: unknown[] }) => {
        asked.push(call.method);
        return provider.request(call);
      },
    };
    const run = new Function(
      "encodeCall",
      "agent",
      "node",
      "agents",
      `return (async () => {${body}return human;})()`,
    );
    const read = (address: string) => run(encodeCall, address, node, contract.target);

    expect(await read(agent.address)).to.equal(ethers.ZeroHash);
    await contract.connect(agent).accept(wallet.address);
    expect(await read(agent.address)).to.equal(identityHash);
    expect(await read(stranger.address)).to.equal(ethers.ZeroHash);
    expect(asked).to.deep.equal(["eth_call", "eth_call", "eth_call"]);
  });
});
