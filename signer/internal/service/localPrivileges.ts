import type { Secrets } from "./secrets.ts";

/**
 * Returns a function that checks whether the service may do what is safe with a local node only: use the chain's clock
 * however far it is off, show anybody the node's URL, send people to providers on plain http and back to any app on
 * loopback, and be reached over plain http itself.
 *
 * Any node can say that it is a local one. So its word counts only while there is nothing to lose: while the public
 * development secrets are in use. With other secrets nothing is granted, whatever the node says.
 *
 * @param isLocal Whether the node says that it is a local one.
 */
export function watchLocalPrivileges(
  { development }: Pick<Secrets, "development">,
  isLocal: () => Promise<boolean>,
): () => Promise<boolean> {
  return async () => development && (await isLocal());
}
