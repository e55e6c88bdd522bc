// A test to paste, for a contract at which no claim was found: somebody opens the contract, and corrects the values.

import { type FunctionFragment, Interface, type ParamType } from "ethers";
import type { AbiEntry } from "hardhat-identity/internal/consumer/compiledContract";
import type { Toolbox } from "hardhat-identity/internal/init/templates";
import { registryName } from "./deploy.ts";
import { type EntryPoint, isReadable, parts, readDoors } from "./functions.ts";
import { styles } from "./writeTest.ts";

/** The contract that a recipe is for. */
export interface Subject {
  readonly name: string;
  readonly abi: readonly AbiEntry[];
  /** Present if it is deployed. */
  readonly address?: string | undefined;
  /** The network of the test. */
  readonly network: string;
}

/** Writes a whole test file; `undefined` if no function takes a verification in plain form. */
export function writeRecipe(subject: Subject, toolbox: Toolbox): string | undefined {
  const abi = subject.abi.filter(isReadable);
  const [entry] = readDoors(abi).entryPoints;
  if (entry === undefined) return undefined;
  const { imports, call, expectNone } = styles[toolbox];
  const isViem = toolbox === "viem";
  const contract = subject.address === undefined ? deploy(subject, abi, toolbox) : find(subject, toolbox);
  const registry =
    subject.address === undefined ? "\n  const registry = await identity.deployRegistry();" : "";
  return `${imports.replace("{ describe, it }", "{ it }")}

${call}it(${JSON.stringify(`${subject.name} holds against every known attack`)}, async () => {
  const { ${toolbox}, identity } = await network.create(${JSON.stringify(subject.network)});${registry}
  const contract = await ${contract};
  // Bring the contract to where it lets a verified person in, and correct the values.
  const faults = await identity.attack(contract, ({ verification, wallet }) =>
    ${claim(entry, abi, toolbox)},
  );
  ${expectNone("faults")}
})${isViem ? "" : ".timeout(120_000)"};
`;
}

function deploy({ name }: Subject, abi: readonly AbiEntry[], toolbox: Toolbox): string {
  const { inputs } = Interface.from(abi.filter(({ type }) => type === "constructor")).deploy;
  const isNamed = inputs.some((input) => registryName.test(input.name));
  const at = inputs.findIndex(
    (input) => input.type === "address" && (!isNamed || registryName.test(input.name)),
  );
  const args = inputs.map((input, i) => (i === at ? "registry.address" : writeValue(input)));
  return `${toolbox}.deployContract(${JSON.stringify(name)}, [${args.join(", ")}])`;
}

const find = ({ name, address }: Subject, toolbox: Toolbox) =>
  `${toolbox}.getContractAt(${JSON.stringify(name)}, ${JSON.stringify(address)})`;

/** Writes the call of an entry point. */
function claim(
  { fragment, places, payable }: EntryPoint,
  abi: readonly AbiEntry[],
  toolbox: Toolbox,
): string {
  const args = fragment.inputs.flatMap((type, i) => {
    const inARow = parts.map((part, j) => places.get(`${i + j}`) === part);
    if (!inARow.includes(false)) return ["...verification.args"];
    const isRest = [1, 2].some((back) => parts.every((part, j) => places.get(`${i - back + j}`) === part));
    return isRest ? [] : [writeValue(type, `${i}`, places)];
  });
  const method = memberOf(fragment, abi);
  if (toolbox === "viem") {
    const value = payable ? ", value: 1n" : "";
    return `contract.write${method}([${args.join(", ")}], { account: wallet.account${value} })`;
  }
  const last = payable ? ["{ value: 1n }"] : [];
  return `contract.connect(wallet)${method}(${[...args, ...last].join(", ")})`;
}

/** Writes the member of a contract of ethers or viem that calls a function, which may have namesakes. */
function memberOf(fragment: FunctionFragment, abi: readonly AbiEntry[]): string {
  const namesakes = abi.filter(({ type, name }) => type === "function" && name === fragment.name);
  return namesakes.length > 1 ? `[${JSON.stringify(fragment.format("sighash"))}]` : `.${fragment.name}`;
}

/** Writes a value of a type as TypeScript: the part of a verification that belongs there, or an example. */
function writeValue(type: ParamType, path = "", places: ReadonlyMap<string, string> = new Map()): string {
  const part = places.get(path);
  if (part !== undefined) return `verification.${part}`;
  if (type.isArray()) {
    const item = writeValue(type.arrayChildren, `${path}.item`, places);
    return `[${Array(type.arrayLength === -1 ? 1 : type.arrayLength)
      .fill(item)
      .join(", ")}]`;
  }
  if (type.isTuple()) {
    const members = type.components.map(
      (each, i) => `${each.name}: ${writeValue(each, `${path}.${i}`, places)}`,
    );
    const isVerification = type.components.every(({ name }, i) => name === places.get(`${path}.${i}`));
    return isVerification && members.length === parts.length ? "verification" : `{ ${members.join(", ")} }`;
  }
  const [, bits] = /^u?int(\d+)$/.exec(type.type) ?? [];
  // viem takes small integers as numbers.
  if (bits !== undefined) return Number(bits) > 48 ? "1n" : "1";
  if (type.type === "bool") return "true";
  if (type.type === "string") return '"text"';
  if (type.type === "address") return path === "" ? `"0x${"12".repeat(20)}"` : "wallet.address";
  const [, size = "0"] = /^bytes(\d+)$/.exec(type.type) ?? [];
  return `"0x${"12".repeat(Number(size))}"`;
}
