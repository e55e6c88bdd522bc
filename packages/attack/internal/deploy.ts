import { plural } from "@hardhat-identity/console/plural";
import { readArtifact, readOpenZeppelinArtifact } from "@hardhat-identity/ignition/artifacts";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { development } from "@hardhat-identity/protocol/development";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { describeRevert } from "@hardhat-identity/protocol/reverts";
import {
  AbiCoder,
  concat,
  dataLength,
  FunctionFragment,
  Interface,
  type ParamType,
  zeroPadValue,
} from "ethers";
import { slots } from "hardhat-identity/internal/consumer/erc1967";
import type { Deployable, Given } from "hardhat-identity/internal/testing/attack";
import { accountOf } from "../wallets.ts";
import { fits, misfit } from "./given.ts";
import type { Target } from "./play.ts";
import type { Call, Stage } from "./stage.ts";

/** Bytes of a contract's code at most, by EIP-170. */
const mostCode = 24_576;

/** The account that deploys the contracts and owns them. */
const deployer = accountOf("deployer and owner");

/** The constructor, or the initializer, takes none of the arguments that were invented. */
export class ConstructorError extends InvalidInputError {}

/**
 * Deploys a contract for attacks, with a registry and a token of its own, and behind a proxy if it has an initializer.
 *
 * @throws ConstructorError that names the parameters of the constructor or of the initializer if it reverts with the
 * invented arguments.
 */
export async function deployForAttack(
  stage: Stage,
  contract: Deployable,
  given: Given = {},
): Promise<Target & { readonly token: string; readonly upgrade?: () => Promise<unknown> }> {
  const { contractName: name, abi } = contract;
  if (contract.bytecode === "0x") {
    throw new InvalidInputError(
      `${name} is abstract, or an interface, and cannot be deployed; name another contract.`,
    );
  }
  const libraries = listLibraries(contract);
  if (libraries.length > 0) {
    throw new InvalidInputError(
      `${name} needs ${libraries.join(", ")} linked, which its own deployment does: deploy it to a local node, and name it with --consumer.`,
    );
  }
  const registry = await deployRegistry(stage, accountOf("owner of the registry"));
  const token = await deployToken(stage);
  const inventFor = (inputs: readonly ParamType[]) => {
    const isNamed = inputs.some(({ name }) => registryName.test(name));
    return inputs.map((input) => inventArgument(input, { registry, token, isNamed }));
  };

  /** The arguments that were given by name, and invented ones for the others. */
  const choose = (inputs: readonly ParamType[]) =>
    inventFor(inputs).map((values, i) => valuesOf(given, inputs[i], values));

  const declared = abi.find(({ type }) => type === "constructor");
  const { inputs } = Interface.from(declared ? [declared] : ["constructor()"]).deploy;
  const listed = Array.isArray(given) ? takeList(name, inputs, given) : undefined;
  const attempts = variants(choose(inputs).map((values, i) => listed?.[i] ?? values));
  // The likeliest arguments' refusal tells most.
  let refusal: string | undefined;
  for (const values of attempts) {
    const data = concat([contract.bytecode, AbiCoder.defaultAbiCoder().encode(inputs, values)]);
    const outcome = await stage.send({ from: deployer, data });
    if ("revert" in outcome) {
      refusal ??= outcome.revert;
      continue;
    }
    const implementation = checksumAddress(outcome.done.created ?? "");
    const address = await putBehindProxy(stage, contract, implementation, choose);
    const known = { name, address: address ?? implementation, abi, registry, owner: deployer, token };
    return address === undefined
      ? known
      : { ...known, upgrade: () => upgradeToSame(stage, address, { from: deployer, data }) };
  }
  refusal ??= "0x";
  if (refusal === "0x" && dataLength(contract.bytecode) > mostCode) {
    throw new InvalidInputError(
      `${name} cannot be deployed: its code is likely larger than the ${mostCode} bytes that a chain takes. Set settings: { optimizer: { enabled: true } } for solidity in hardhat.config.ts.`,
    );
  }
  const { text } = describeRevert(refusal, { abis: [abi] });
  const [parameter] = inputs.map(({ name }) => name).filter((name) => !registryName.test(name));
  const remedy =
    parameter === undefined
      ? "Deploy it yourself, and name it with --consumer."
      : `Give its arguments with --args, by name, such as '{"${parameter}": …}', and leave the registry out: the attack deploys one. Its parameters are ${describeInputs(inputs)}. Or deploy it, and name it with --consumer.`;
  throw new ConstructorError(`The constructor of ${name} reverts with ${text}. ${remedy}`);
}

const listLibraries = ({ linkReferences = {} }: Deployable) =>
  Object.values(linkReferences).flatMap((libraries) => Object.keys(libraries));

/**
 * Puts a contract with an initializer behind a proxy; `undefined` if it has none.
 *
 * @throws ConstructorError if OpenZeppelin's initializer refuses the arguments: without it, nothing of the proxy is tried.
 */
async function putBehindProxy(
  stage: Stage,
  { contractName, abi }: Deployable,
  implementation: string,
  choose: (inputs: readonly ParamType[]) => unknown[][],
): Promise<string | undefined> {
  const initializers = abi.filter(
    ({ type, name, stateMutability }) =>
      type === "function" && name === "initialize" && !/^(view|pure)$/.test(stateMutability ?? ""),
  );
  const { bytecode } = readOpenZeppelinArtifact("ERC1967Proxy");
  let refusal: string | undefined;
  for (const fragment of initializers.map((each) => FunctionFragment.from(each))) {
    for (const values of variants(choose(fragment.inputs))) {
      const data = new Interface([fragment]).encodeFunctionData(fragment, values);
      const args = AbiCoder.defaultAbiCoder().encode(["address", "bytes"], [implementation, data]);
      const outcome = await stage.send({ from: deployer, data: concat([bytecode, args]) });
      if ("done" in outcome) return checksumAddress(outcome.done.created ?? "");
      refusal ??= outcome.revert;
    }
  }
  const isOpenZeppelins = abi.some(({ type, name }) => type === "event" && name === "Initialized");
  if (refusal === undefined || !isOpenZeppelins) return undefined;
  const { text } = describeRevert(refusal, { abis: [abi] });
  const [inputs = []] = initializers.map((each) => FunctionFragment.from(each).inputs);
  throw new ConstructorError(
    `The initializer of ${contractName} reverts with ${text}. Give its arguments with --args, by name; its parameters are ${describeInputs(inputs)}. Or deploy it, and name it with --consumer.`,
  );
}

/** Deploys an implementation again, and lets a proxy run it, as an upgrade by its admin would. */
async function upgradeToSame(stage: Stage, proxy: string, deployment: Call): Promise<void> {
  const outcome = await stage.send(deployment);
  const word = zeroPadValue("done" in outcome ? (outcome.done.created ?? "0x") : "0x", 32);
  await stage.node.request({ method: "hardhat_setStorageAt", params: [proxy, slots.implementation, word] });
}

/** Common names of the registry among the parameters of a constructor. */
export const registryName = /registry|verifier/i;

/** Values for a constructor's parameter, the likeliest first. */
function inventArgument(
  input: ParamType,
  accounts: { registry: string; token: string; isNamed: boolean },
): unknown[] {
  const { registry, token, isNamed } = accounts;
  const { type, name, components } = input;
  if (input.isArray()) {
    const items = inventArgument(input.arrayChildren, accounts);
    return input.arrayLength === -1
      ? [...items.map((item) => [item]), []]
      : items.map((item) => Array(input.arrayLength).fill(item));
  }
  if (type === "address") {
    if (registryName.test(name)) return [registry];
    if (/token|asset|currency|usd|weth|erc20/i.test(name)) return [token];
    if (/owner|admin|treasury|recipient|beneficiary/i.test(name)) return [deployer];
    return isNamed ? [deployer, token, registry] : [registry, deployer, token];
  }
  if (/^u?int/.test(type)) {
    // A small integer is an hour or an enum, under any name.
    const isEnd = /deadline|until|end|close|closing|expiry|expires|expiration/i.test(name);
    const isStart = /start|open|begin|from/i.test(name);
    const first = isEnd ? 2n ** 32n - 1n : 100n;
    const likely = isStart && !isEnd ? [0n] : [first, 10n ** 18n];
    const most = 2n ** BigInt(/\d+$/.exec(type)?.[0] ?? 256) / 2n;
    return [...new Set([...likely, 1n, 0n])].filter((value) => value < most);
  }
  if (type === "bool") return [true, false];
  if (type === "string") return ["Attack"];
  if (type === "bytes") return ["0x"];
  if (/^bytes\d+$/.test(type)) return [`0x${"00".repeat(Number(type.slice(5)))}`];
  // The last of each are the smallest, which fit enums.
  const members = (components ?? []).map((each) => inventArgument(each, accounts));
  return [members.map((values) => values[0]), members.map((values) => values.at(-1))];
}

const valuesOf = (given: Given, input: ParamType | undefined, invented: unknown[]): unknown[] => {
  if (input === undefined || Array.isArray(given) || !Object.hasOwn(given, input.name)) return invented;
  const value: unknown = Reflect.get(given, input.name);
  return fits(input, value) ? [value] : invented;
};

/** The first value of each, and then other combinations; not too many. */
function variants(lists: readonly unknown[][]): unknown[][] {
  let combinations: unknown[][] = [[]];
  for (const list of lists) {
    combinations = combinations.flatMap((before) => list.map((value) => [...before, value])).slice(0, 200);
  }
  return combinations.slice(0, 64);
}

/** Deploys a registry that trusts one signer. */
export async function deployRegistry(
  stage: Stage,
  owner: string,
  signer: string = development.signer,
): Promise<string> {
  const args = AbiCoder.defaultAbiCoder().encode(["address", "address[]"], [owner, [signer]]);
  const { bytecode } = readArtifact("SignerRegistry");
  const outcome = await stage.send({ from: owner, data: concat([bytecode, args]) });
  if ("done" in outcome) return checksumAddress(outcome.done.created ?? "");
  throw new InvalidInputError(`SignerRegistry cannot be deployed on this chain: ${outcome.revert}.`);
}

async function deployToken(stage: Stage): Promise<string> {
  const outcome = await stage.send({ from: deployer, data: readArtifact("attack/HookToken").bytecode });
  if ("done" in outcome) return checksumAddress(outcome.done.created ?? "");
  throw new InvalidInputError(`HookToken cannot be deployed on this chain: ${outcome.revert}.`);
}

const describeInputs = (inputs: readonly ParamType[]) =>
  inputs.map((input) => input.format("full")).join(", ");

/** Gives each parameter its value of a list, but the registry, which it may leave out; `undefined` for values to invent. */
function takeList(
  contract: string,
  inputs: readonly ParamType[],
  values: readonly unknown[],
): (unknown[] | undefined)[] {
  const isRegistry = ({ name }: ParamType) => registryName.test(name);
  const others = inputs.filter((input) => !isRegistry(input));
  const isWhole = values.length === inputs.length;
  const rest = values.filter((_, i) => !isWhole || others.includes(inputs[i] as ParamType));
  if (rest.length === others.length) {
    return inputs.map((input) => {
      if (isRegistry(input)) return undefined;
      const value = rest.shift();
      if (!fits(input, value)) throw misfit(input.name || "an argument", [input], value);
      return [value];
    });
  }
  const missing = others.slice(values.length).map(({ name }) => name);
  throw new InvalidInputError(
    `The constructor of ${contract} takes ${plural(others.length, "argument")} (${describeInputs(others)}), besides the registry, which may be left out; --args has ${values.length}${missing.length > 0 ? `, without ${missing.join(", ")}` : ""}.`,
  );
}
