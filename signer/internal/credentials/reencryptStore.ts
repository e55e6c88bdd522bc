import type { CredentialPlace } from "./credential.ts";
import type { CredentialPages } from "./pages.ts";

/** The outcome of re-encrypting a store. */
interface ReencryptedStore {
  /** The number of rows by the id of their key. */
  readonly keys: Readonly<Record<string, number>>;
  readonly changed: number;
}

type Store = Pick<CredentialPages, "reencrypt" | "forgetFormerKeys">;

/**
 * Encrypts the rows of a store with the current encryption secret, while services may be using the store. It can be
 * interrupted at any time. The next call skips the rows that are done.
 *
 * @param options.dryRun Whether to count rows without changing them.
 * @param options.progress Called with the number of rows read so far.
 */
export async function reencryptStore(
  store: Store,
  options: { dryRun?: boolean; progress?: (rows: number) => void } = {},
): Promise<ReencryptedStore> {
  const { dryRun = false, progress = () => undefined } = options;
  let rows = 0;
  let changed = 0;
  for (;;) {
    const pass = await goThrough(store, dryRun, (more) => {
      rows += more;
      progress(rows);
    });
    changed += pass.changed;
    if (dryRun) return { ...pass, changed };
    // The next pass finds rows that a service has meanwhile encrypted with the former secret.
    if (pass.changed > 0) continue;
    await store.forgetFormerKeys();
    return { ...pass, changed };
  }
}

async function goThrough(
  store: Store,
  dryRun: boolean,
  progress: (rows: number) => void,
): Promise<ReencryptedStore> {
  const keys: Record<string, number> = {};
  let changed = 0;
  let after: CredentialPlace | undefined;
  do {
    const page = await store.reencrypt({ after, dryRun });
    let rows = 0;
    for (const [id, count] of Object.entries(page.keys)) {
      keys[id] = (keys[id] ?? 0) + count;
      rows += count;
    }
    changed += page.changed;
    progress(rows);
    after = page.next;
  } while (after !== undefined);
  return { keys, changed };
}
