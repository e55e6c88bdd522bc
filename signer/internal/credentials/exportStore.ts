import { writeNewFile } from "../database/newFile.ts";
import { pagesOf } from "../database/paging.ts";
import { type ExportHeader, writeExport } from "./exportFile.ts";
import type { CredentialStore } from "./store.ts";

/** The number of exported or imported credentials and pins. */
export type Moved = Pick<ExportHeader, "credentials" | "pins">;

/**
 * Writes the content of a store, which services may be using, to a new file, encrypted with a key of the master secret.
 * The file may or may not include concurrent changes of the store.
 *
 * @param options.progress Called after each page with the numbers written so far.
 * @throws InvalidInputError when the file exists already, or cannot be written.
 */
export async function exportStore(
  store: Pick<CredentialStore, "list" | "listPins" | "findChain">,
  options: { to: string; masterSecret: string; progress?: (moved: Moved) => void },
): Promise<ExportHeader> {
  const { to, masterSecret, progress = () => undefined } = options;
  return await writeNewFile(to, "an export", (unfinished) =>
    writeExport(unfinished, masterSecret, async (add) => {
      const moved = { credentials: 0, pins: 0 };
      for await (const credentials of pagesOf(store.list)) {
        await add({ credentials });
        moved.credentials += credentials.length;
        progress(moved);
      }
      for await (const pins of pagesOf(store.listPins)) {
        await add({ pins: pins.map((pin) => ({ ...pin, cutoffBlock: String(pin.cutoffBlock) })) });
        moved.pins += pins.length;
        progress(moved);
      }
      return { chainId: await store.findChain(), ...moved };
    }),
  );
}
