import type { Secrets } from "./secrets.ts";

/**
 * Whether the service may do what only a local node's may: take the chain's clock however far it is off, tell strangers
 * the node's URL, send people to providers on plain http and back to any app on loopback, and be reached over plain
 * http itself.
 *
 * Any node can say that it is a local one. So its word counts only where there is nothing to lose: while the secrets in
 * use are those that everybody knows. With one's own nothing is granted, whatever the node says.
 *
 * @param isLocal What the node says.
 */
export function watchLocalPrivileges(
  { development }: Pick<Secrets, "development">,
  isLocal: () => Promise<boolean>,
): () => Promise<boolean> {
  return async () => development && (await isLocal());
}
