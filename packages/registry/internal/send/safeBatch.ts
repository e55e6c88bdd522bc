import { id } from "ethers";
import type { PlannedCall } from "../plan/plannedCall.ts";

/**
 * Composes a file of one call for Safe's Transaction Builder, which accepts it by drag and drop. The Transaction Builder
 * encodes the call from its name and arguments, and shows these instead of bytes.
 *
 * @param registry The registry that the call is about.
 * @param safe The Safe that sends the call.
 * @param title The batch's name.
 * @param createdAt Unix time in milliseconds.
 */
export function composeBatch(input: {
  chainId: number;
  registry: string;
  safe: string;
  call: PlannedCall;
  title: string;
  createdAt: number;
}) {
  const { chainId, registry, safe, call, title, createdAt } = input;
  const { to, value, name, inputs } = call;
  const batch = {
    version: "1.0",
    chainId: String(chainId),
    createdAt,
    meta: {
      name: title,
      description: `SignerRegistry ${registry}`,
      txBuilderVersion: "1.16.5",
      createdFromSafeAddress: safe,
      createdFromOwnerAddress: "",
    },
    transactions: [
      {
        to,
        value,
        data: null,
        contractMethod: {
          inputs: inputs.map(({ name, type }) => ({ internalType: type, name, type })),
          name,
          payable: false,
        },
        contractInputsValues: Object.fromEntries(inputs.map(({ name, value }) => [name, value])),
      },
    ],
  };
  return { ...batch, meta: { ...batch.meta, checksum: checksumBatch(batch) } };
}

/**
 * Computes the checksum by which the Transaction Builder detects a modified batch: the Keccak-256 hash of the batch
 * without its name, with the members of each object sorted by name and preceded by the list of their names.
 *
 * @param batch Without a checksum.
 */
export function checksumBatch(batch: { readonly meta: object; readonly [member: string]: unknown }): string {
  return id(write({ ...batch, meta: { ...batch.meta, name: null } }));
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).sort(([one], [another]) => (one < another ? -1 : 1));
  const names = JSON.stringify(members.map(([name]) => name));
  return `{${names}${members.map(([, member]) => `${write(member)},`).join("")}}`;
}
