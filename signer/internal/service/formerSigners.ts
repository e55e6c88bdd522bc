import { type AllowlistReading, describeRemoval } from "@hardhat-identity/protocol/chain/registry";
import type { CredentialStore } from "@hardhat-identity/store/credentials/credential";

/** Remembers, in the store for all replicas and restarts, which signers the allowlist of a registry has had. */
export function formerSigners(store: Pick<CredentialStore, "noteAllowed" | "wasAllowed">, registry: string) {
  const noted = new Set<string>();
  return {
    async note({ allowed }: AllowlistReading): Promise<void> {
      for (const signer of allowed) {
        if (noted.has(signer)) continue;
        const isNoted = await store.noteAllowed(registry, signer).then(
          () => true,
          () => false,
        );
        if (isNoted) noted.add(signer);
      }
    },
    /** Describes a signer that the allowlist had and no longer has. Without the store, nobody can tell. */
    async describeRemoved(signer: string | undefined): Promise<string | undefined> {
      if (signer === undefined) return undefined;
      const wasAllowed = noted.has(signer) || (await store.wasAllowed(registry, signer).catch(() => false));
      return wasAllowed ? describeRemoval(registry, signer) : undefined;
    },
  };
}
