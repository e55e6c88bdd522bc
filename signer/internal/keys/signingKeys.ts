import type { Allowlist, AllowlistReading } from "@hardhat-identity/protocol/chain/registry";
import type { KeySource } from "./keySource.ts";

export type SigningKeys = ReturnType<typeof followKey>;

/**
 * Holds the keys of a service. The newest key whose signer is on the allowlist signs: the service switches to the next key
 * at the block at which the registry allows it, and back at the block at which it no longer does.
 *
 * @param input.tell Called with the signer at first, and with a description whenever the allowlist has changed.
 */
export function followKey(input: {
  registry: string;
  signingKey: KeySource;
  nextSigningKey: KeySource | undefined;
  tell: (signer: string, detail?: string) => void;
}) {
  const { registry, signingKey, nextSigningKey, tell } = input;
  const first = signingKey.address;
  const next = nextSigningKey?.address;
  const signers = next === undefined ? [first] : [next, first];
  let known = { signer: first, allowed: 0, since: Number.NEGATIVE_INFINITY };
  tell(first);

  function note(reading: AllowlistReading, signer: string, since: number): void {
    // Readings of several contracts overlap. An older one must not undo a newer one.
    if (since < known.since) return;
    const isSame = signer === known.signer && reading.allowed.length === known.allowed;
    known = { signer, allowed: reading.allowed.length, since };
    if (!isSame) tell(signer, describeRotation(reading));
  }

  /** Describes the active signer and the state of the other one; `undefined` if only one exists or none is allowed. */
  function describeRotation({ allowed }: AllowlistReading): string | undefined {
    if (next === undefined || allowed.length === 0) return undefined;
    if (!allowed.includes(next)) {
      return `${first} signs. The next signer ${next} is not on the allowlist of the registry ${registry} yet; its owner must call addSigner(${next}).`;
    }
    return allowed.includes(first)
      ? `The next signer ${next} signs. The former signer ${first} is still on the allowlist of the registry ${registry}.`
      : `The next signer ${next} signs. The former signer ${first} is not on the allowlist of the registry ${registry}; you no longer need its key.`;
  }

  return {
    /** The registry, and the signers to look up on its allowlist. */
    allowlist: { registry, signers } as Allowlist,
    /**
     * Returns the key to sign with according to a reading; `undefined` if the registry would refuse every key's
     * signatures.
     *
     * @param age Milliseconds since the node was asked.
     */
    choose(reading: AllowlistReading, age: number): KeySource | undefined {
      const [signer] = reading.allowed;
      if (signer === undefined) return undefined;
      if (nextSigningKey === undefined) return signingKey;
      note(reading, signer, performance.now() - age);
      return signer === next ? nextSigningKey : signingKey;
    },
    /** The signer according to the newest reading; before the first reading, the one that is not the next signer. */
    signer: () => known.signer,
    /** Checks whether the key of the signer could sign now. */
    check: () => (nextSigningKey?.address === known.signer ? nextSigningKey : signingKey).check(),
    /** The signer that takes over as soon as the registry allows it; `undefined` if there is none. */
    nextSigner: () => (next === known.signer ? undefined : next),
    describeRotation,
  };
}
