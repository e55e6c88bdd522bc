import { project } from "../../protocol/project.ts";
import type { StepKind } from "./claim.ts";
import example from "./example.ts?raw";

// cspell:ignore encodecall

/** Step → the mark of its code in the example, and where it is documented. */
const places: Readonly<Record<StepKind, readonly [mark: string, page: string]>> = {
  message: ["message", "client.md#a-claim"],
  signature: ["signature", "client.md#a-claim"],
  verification: ["verification", "client.md#a-claim"],
  refusal: ["verification", "client.md#errors"],
  call: ["call", "reference/client.md#encodecall"],
  transaction: ["transaction", "client.md#a-claim"],
  batch: ["batch", "client.md#in-one-batch-with-other-calls"],
  pending: ["pending", "storage.md"],
  used: ["pending", "storage.md"],
  receipt: ["receipt", "client.md#a-claim"],
  revert: ["transaction", "client.md#errors"],
};

/** The client call that does a step, in a few lines of TypeScript. */
export function readSnippet(step: StepKind): string {
  const lines = example.split("\n");
  const from = lines.findIndex((line) => line.trim() === `// #${places[step][0]}`) + 1;
  const length = lines.slice(from).findIndex((line) => line.trim().startsWith("// #"));
  return lines
    .slice(from, from + length)
    .map((line) => line.trim())
    .join("\n");
}

export function findDocumentation(step: StepKind): string {
  return `${project.docs}${places[step][1]}`;
}
