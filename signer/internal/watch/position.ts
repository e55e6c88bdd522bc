import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { getBytes } from "ethers";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { deriveKey } from "../../../protocol/keys.ts";
import { type OpenStore, openExistingStore, type StoreAccess } from "../database/operateStore.ts";
import { readProperty, writeProperty } from "../database/properties.ts";
import { createSeal, type Seal } from "../database/seal.ts";
import type { Finding } from "./finding.ts";

/** Where a watch stands. */
export interface Position {
  /** The last block that was judged and cannot be undone. */
  confirmed: { readonly number: number; readonly hash: string };
  /** The first block of which nobody was told yet. */
  since: number;
  /** What was found lately, and all that nobody was told yet. */
  findings: Finding[];
}

/** Keeps a position. */
export interface PositionKeeper {
  /** `undefined` where a watch begins. */
  read(): Promise<Position | undefined>;
  write(position: Position): Promise<void>;
}

/**
 * Keeps the position of a registry's watch in the store, or in a file where the store can only be read. Whoever writes
 * there without the master secret can make no position.
 */
export function positionKeeper(
  access: StoreAccess,
  { chainId, registry, file }: { chainId: number; registry: string; file: string | undefined },
): PositionKeeper {
  const place = [chainId, registry];
  const name = `watch-${registry}`;
  let last = "";

  async function withStore<T>(mode: "read" | "write", use: (store: OpenStore, seal: Seal) => Promise<T>) {
    const store = await openExistingStore(access, mode);
    try {
      return await use(
        store,
        createSeal(deriveKey(getBytes(access.masterSecret), "watch"), "w1", store.identity),
      );
    } finally {
      await store.database.close();
    }
  }

  async function readText({ database }: OpenStore): Promise<string | undefined> {
    if (file === undefined) return await readProperty(database.db, name);
    return isThere(file) ? readFileSync(file, "utf8") : undefined;
  }

  async function writeText({ database }: OpenStore, text: string): Promise<void> {
    if (file === undefined) return await writeProperty(database.db, name, text);
    isThere(file);
    // A process that is killed leaves the former file or this one.
    writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  }

  return {
    read: () =>
      withStore("read", async (store, seal) => {
        const text = await readText(store);
        if (text === undefined) return undefined;
        try {
          return seal.open(place, text) as Position;
        } catch {
          const where = file ?? `the store (property ${name})`;
          throw new InvalidInputError(
            `What ${where} says of where the watch stood was altered, or is of another registry or store. Name a block to begin with (--from-block).`,
          );
        }
      }),
    async write(position) {
      const json = JSON.stringify(position);
      if (json === last) return;
      const mode = file === undefined ? "write" : "read";
      await withStore(mode, (store, seal) => writeText(store, seal.close(place, position)));
      last = json;
    },
  };
}

function isThere(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  // It is replaced, which must not happen to a device.
  if (found !== undefined && !found.isFile())
    throw new InvalidInputError(`${file} (--position-file) is not a file.`);
  return found !== undefined;
}
