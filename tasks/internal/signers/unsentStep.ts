import { writeFile } from "node:fs/promises";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Step } from "./plannedCall.ts";
import { composeBatch } from "./safeBatch.ts";

/** Writes a step to a new file for Safe's Transaction Builder. */
export async function writeBatch(
  file: string,
  { from: safe, call, title }: Step,
  { chainId, registry }: { readonly chainId: number; readonly registry: string },
): Promise<void> {
  const batch = composeBatch({ chainId, registry, safe, call, title, createdAt: Date.now() });
  try {
    await writeFile(file, `${JSON.stringify(batch, undefined, 2)}\n`, { flag: "wx" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown";
    const why = code === "EEXIST" ? "already exists" : `cannot be written (${code})`;
    throw new InvalidInputError(`--batch names ${file}, which ${why}.`);
  }
}

/** Describes a step that is not sent, for people. */
export function describeUnsent(
  { sender, fromIsContract, call: { to, value, data }, title }: Step,
  { chainId, batch }: { readonly chainId: number; readonly batch: string | undefined },
): (readonly [string, string])[] {
  return [
    ["Not sent", `${title}, which ${sender} must send on chain ${chainId}`],
    ["To", to],
    ["Value", value],
    ["Data", data],
    ...(batch === undefined ? [] : [["Batch", `${batch}, for Safe's Transaction Builder`] as const]),
    ...(fromIsContract && batch === undefined
      ? [["Safe", "--batch <file> writes it for Safe's Transaction Builder"] as const]
      : []),
  ];
}
