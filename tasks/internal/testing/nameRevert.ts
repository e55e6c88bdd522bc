import { describeRevert } from "../../../protocol/reverts.ts";

/** An error of a node as a request is answered with it, or throws it. */
interface NodeError {
  message: string;
  stack?: string;
}

// What Hardhat says of a contract that the project has not compiled, such as a registry that this package deployed.
const unrecognized = /an unrecognized custom error \(return data: 0x[0-9a-f]*\)/;

/**
 * Has an error of a node name what the contract reverted with, in Hardhat's own words, where it is one of this
 * package's errors and the node did not know it.
 */
export function nameRevert(error: NodeError, data: string): void {
  const { text, meaning } = describeRevert(data);
  const [name = ""] = text.split("(");
  if (meaning === undefined || error.message.includes(`${name}(`)) return;
  const named = (said: string) =>
    unrecognized.test(said) ? said.replace(unrecognized, `custom error '${text}'`) : said;
  const message = named(error.message);
  if (error.stack !== undefined) error.stack = named(error.stack);
  error.message = message === error.message ? `${message}: ${text}` : message;
}
