import { z } from "zod";
import type { Hex } from "../../../protocol/hex.ts";
import { type ExportFile, openExport } from "./exportFile.ts";
import type { Moved } from "./exportStore.ts";
import type { Merged } from "./pages.ts";
import type { Pin } from "./pins.ts";
import { openCredentialStore, type StoreOptions } from "./store.ts";

/** The outcome of an import. */
export interface Imported {
  readonly credentials: Merged;
  readonly pins: Pick<Merged, "added" | "kept">;
}

/**
 * Imports an export into a store, which services may be using. The file is read twice, so that all of it is
 * authenticated before the store is created or written. An interrupted import can be repeated. Everything that it had
 * imported then counts as kept.
 *
 * @param options.progress Called after each part with the numbers imported so far and the numbers in the file.
 * @throws InvalidInputError when the file was changed, or was made with another master secret or for another chain.
 */
export async function importStore(
  options: StoreOptions & { from: string; progress?: (moved: Moved, of: Moved) => void },
): Promise<Imported> {
  const { from, progress = () => undefined, ...storeOptions } = options;
  const file = await openExport(from, options.masterSecret);
  try {
    for await (const _part of readParts(file));
    const { chainId } = file.header;
    const store = await openCredentialStore({ ...storeOptions, ...(chainId !== undefined && { chainId }) });
    try {
      const moved = { credentials: 0, pins: 0 };
      let credentials: Merged = { added: 0, replaced: 0, kept: 0 };
      let pins = { added: 0, kept: 0 };
      for await (const part of readParts(file)) {
        credentials = add(credentials, await store.merge(part.credentials));
        pins = add(pins, await store.mergePins(part.pins));
        moved.credentials += part.credentials.length;
        moved.pins += part.pins.length;
        progress(moved, file.header);
      }
      return { credentials, pins };
    } finally {
      await store.close();
    }
  } finally {
    await file.close();
  }
}

function add<Counts extends object>(left: Counts, right: Counts): Counts {
  const sums = Object.entries(left).map(([name, count]) => [name, count + Reflect.get(right, name)]);
  return Object.fromEntries(sums) as Counts;
}

const credential = z.object({
  wallet: z.string(),
  provider: z.string(),
  pseudonym: z.string(),
  traits: z.record(z.string(), z.string()),
  authenticatedAt: z.number(),
});

const hex = z.string().transform((text) => text as Hex);
const pin: z.ZodType<Pin> = z.object({
  chainId: z.number(),
  consumer: z.string(),
  policyHash: hex,
  cutoffBlock: z.string().transform(BigInt),
  cutoffRises: z.number(),
  risesSince: z.number(),
  pinnedAt: z.number(),
});

const exportPart = z.object({
  credentials: z.array(credential).default([]),
  pins: z.array(pin).default([]),
});

async function* readParts(file: ExportFile): AsyncGenerator<z.infer<typeof exportPart>> {
  for await (const part of file.parts()) yield exportPart.parse(part);
}
