import type { CredentialPlace } from "./credential.ts";
import type { CredentialPages } from "./pages.ts";

/** How a store's rows are encrypted, and how many were encrypted anew. */
interface ReencryptedStore {
  /** How many rows there are of each key, by its id. */
  readonly keys: Readonly<Record<string, number>>;
  readonly changed: number;
}

type Store = Pick<CredentialPages, "reencrypt" | "forgetFormerKeys">;

/**
 * Encrypts what a store holds with the secret with which services encrypt what is new, while they run. It can be broken
 * off at any time: what was done stays done, and who begins again passes over it.
 *
 * @param options.dryRun Only counts.
 * @param options.progress Is told how many rows were looked at.
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
    // What a service had still encrypted with the former secret is found by the next pass.
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
