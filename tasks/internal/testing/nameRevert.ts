import { describeRevert } from "@hardhat-identity/protocol/reverts";

/** An error of a node, from a response or thrown by a request. */
interface NodeError {
  message: string;
  stack?: string;
}

// Hardhat's message for a contract that the project has not compiled, such as a registry that this package deployed.
const unrecognized = /an unrecognized custom error \(return data: 0x[0-9a-f]*\)/;

/**
 * Adds the name of a revert to a node's error, in Hardhat's wording, if it is an error of this package that the node
 * did not recognize.
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
