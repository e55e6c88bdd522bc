// `npm run bench:gas`: measures the gas of a first claim at our consumers and at the alternatives, on a local chain
// that executes like an OP Stack chain (84532). `--json` prints only the figures. `--write` also records them, here and
// in docs/gas.md. Without `--write`, the program fails if a figure differs from the recorded one.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { ContractTransactionResponse } from "ethers";
import hre, { network } from "hardhat";
import { ownClaims } from "./gas/own.ts";
import { claims, type Figures, table } from "./gas/report.ts";
import { sendRivals } from "./gas/rivals.ts";

const { json, write } = parseArgs({
  options: { json: { type: "boolean" }, write: { type: "boolean" } },
}).values;
const file = new URL("gas/report.json", import.meta.url);
const guide = new URL("../docs/gas.md", import.meta.url);

async function figuresOf(response: ContractTransactionResponse): Promise<Figures> {
  const receipt = await response.wait();
  return { gas: Number(receipt?.gasUsed), callDataBytes: (response.data.length - 2) / 2 };
}

async function measure(): Promise<Record<string, Figures>> {
  const measured: Record<string, Figures> = {};
  for (const [name, send] of Object.entries(ownClaims)) {
    if (name in claims) measured[name] = await figuresOf(await send());
  }
  // Compiled for little gas, Semaphore's library is larger than a chain allows. No claim calls it.
  const override = { allowUnlimitedContractSize: true };
  const { ethers } = await network.create({ network: "identityLocal", override });
  const [owner, claimer] = await ethers.getSigners();
  if (!owner || !claimer) throw new Error("The node has too few accounts.");
  for (const { name, response } of await sendRivals(owner, claimer))
    measured[name] = await figuresOf(response);
  return measured;
}

await hre.tasks.getTask("build").run({ quiet: true, noTests: true });
const measured = await measure();
console.log(json ? JSON.stringify(measured) : table(measured));
if (write) {
  writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
  writeFileSync(
    guide,
    readFileSync(guide, "utf8").replace(/^\| claim [\s\S]*?\n\n/m, `${table(measured)}\n\n`),
  );
} else {
  const recorded: Record<string, Figures> = JSON.parse(readFileSync(file, "utf8"));
  for (const [name, { gas }] of Object.entries(measured)) {
    if (gas === recorded[name]?.gas) continue;
    console.error(`${name} took ${gas} gas, not the recorded ${recorded[name]?.gas}; --write records it.`);
    process.exitCode = 1;
  }
}
