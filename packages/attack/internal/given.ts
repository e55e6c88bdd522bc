import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { AbiCoder, Fragment, type ParamType } from "ethers";
import type { AbiEntry } from "hardhat-identity/internal/consumer/compiledContract";
import type { Given } from "hardhat-identity/internal/testing/attack";

/** Whether a value can be that of a parameter. */
export function fits(input: ParamType, value: unknown): boolean {
  // The encoder takes anything for true, also "false".
  if (input.type === "bool") return typeof value === "boolean";
  try {
    AbiCoder.defaultAbiCoder().encode([input], [value]);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks the arguments that were given by name. Functions may have parameters of one name and several types: a value that
 * fits one of them is given to it alone.
 *
 * @throws InvalidInputError that names a value that fits no parameter of its name.
 */
export function checkGiven(given: Given, abi: readonly AbiEntry[]): void {
  if (Array.isArray(given)) return;
  const inputs = abi
    .filter(({ type }) => type === "function" || type === "constructor")
    .flatMap((entry) => withMembers(Fragment.from(entry).inputs));
  for (const [name, value] of Object.entries(given)) {
    const named = inputs.filter((input) => input.name === name);
    if (named.length > 0 && !named.some((input) => fits(input, value))) throw misfit(name, named, value);
  }
}

/** Composes the error for a value that fits no parameter. */
export function misfit(name: string, inputs: readonly ParamType[], value: unknown): InvalidInputError {
  const types = [...new Set(inputs.map((input) => input.format("full").replace(/ \w+$/, "")))];
  const [first] = inputs;
  const got = JSON.stringify(value, (_, each) => (typeof each === "bigint" ? Number(each) : each));
  return new InvalidInputError(
    `The argument ${name} must be ${types.join(" or ")}, such as ${first && writeExample(first)}, got ${got}.`,
  );
}

/** Writes a value of a type as JSON. */
function writeExample(input: ParamType): string {
  if (input.isArray()) {
    const item = writeExample(input.arrayChildren);
    return `[${Array(input.arrayLength === -1 ? 1 : input.arrayLength).fill(item)}]`;
  }
  if (input.isTuple()) {
    return `{${input.components.map((each) => `${JSON.stringify(each.name)}:${writeExample(each)}`)}}`;
  }
  if (/^u?int/.test(input.type)) return "25";
  if (input.type === "bool") return "true";
  if (input.type === "string") return '"text"';
  const [, size = "1"] = /^bytes(\d+)$/.exec(input.type) ?? [];
  return `"0x${"12".repeat(input.type === "address" ? 20 : Number(size))}"`;
}

/** Lists parameters with the members of structs, also of those in lists. */
const withMembers = (inputs: readonly ParamType[]): ParamType[] =>
  inputs.flatMap((input) => {
    let item = input;
    while (item.isArray()) item = item.arrayChildren;
    return [input, ...(item.isTuple() ? withMembers(item.components) : [])];
  });
