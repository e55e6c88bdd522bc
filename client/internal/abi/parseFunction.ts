import { invalidArgument } from "../invalidArgument.ts";
import type { AbiFunction, AbiParameter } from "./types.ts";

const locations: readonly unknown[] = ["memory", "calldata", "storage", "payable"];

/**
 * Reads a function's signature as Solidity writes it, such as
 * `deposit(uint256 amount, bytes32 identityHash, uint40 expiration, bytes signature)`. `function` may precede it, and
 * what follows the parameters is not looked at. A struct is written as its members in parentheses.
 */
export function parseFunction(signature: string): AbiFunction {
  const tokens = signature.match(/[\w$]+|\[\d*\]|\S/g) ?? [];
  const problem = () =>
    invalidArgument("abi", "a JSON ABI or a signature such as enroll(bytes32 identityHash)", signature);
  const take = (wanted: RegExp) => {
    const token = tokens.shift();
    if (token === undefined || !wanted.test(token)) throw problem();
    return token;
  };

  const readParameter = (): AbiParameter => {
    if (tokens[0] === "tuple" && tokens[1] === "(") tokens.shift();
    const components = tokens[0] === "(" ? readParameters() : undefined;
    let type = components ? "tuple" : take(/^\w+$/).replace(/^(u?int)$/, "$1256");
    while (tokens[0]?.startsWith("[")) type += take(/^\[\d*\]$/);
    while (locations.includes(tokens[0])) tokens.shift();
    const name = /^[\w$]+$/.test(tokens[0] ?? "") ? tokens.shift() : undefined;
    return { type, name, components };
  };
  const readParameters = (): AbiParameter[] => {
    const parameters: AbiParameter[] = [];
    take(/^\($/);
    if (tokens[0] === ")") tokens.shift();
    else
      do parameters.push(readParameter());
      while (take(/^[,)]$/) === ",");
    return parameters;
  };

  if (tokens[0] === "function") tokens.shift();
  return { name: take(/^[a-zA-Z_$][\w$]*$/), inputs: readParameters() };
}
