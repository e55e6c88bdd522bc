import type { Allowlist, AllowlistReading } from "../../../chain/registry.ts";
import type { KeySource } from "./keySource.ts";

/** The keys that a service holds. The newest whose signer is on the allowlist signs. */
export interface SigningKeys {
  /** What is asked of the registry. */
  readonly allowlist: Allowlist;
  /**
   * The key to sign with by what was just read; `undefined` when the registry would refuse whatever any of them signs.
   *
   * @param age Milliseconds since the node was asked.
   */
  choose(reading: AllowlistReading, age: number): KeySource | undefined;
  /** Who signs by the newest reading; before there is any, the one whom the next one is to follow. */
  signer(): string;
  /** Who signs as soon as the registry allows it; `undefined` where nobody waits for that. */
  nextSigner(): string | undefined;
  /**
   * Looks whether the key of {@link signer} could sign now.
   *
   * @throws KeyUnavailableError when it could not.
   */
  check(): Promise<void>;
  /** Who signs and what the other one is to be, where there are two. */
  describe(reading: AllowlistReading): string | undefined;
}

/**
 * Has one key follow another at the block at which the registry allows it, and go back at the one at which it no longer
 * does.
 *
 * @param input.tell Is told who signs: at first, and with words for it whenever the allowlist has changed.
 */
export function followKey(input: {
  registry: string;
  signingKey: KeySource;
  nextSigningKey: KeySource | undefined;
  tell: (signer: string, detail?: string) => void;
}): SigningKeys {
  const { registry, signingKey, nextSigningKey, tell } = input;
  const first = signingKey.address;
  const next = nextSigningKey?.address;
  const signers = next === undefined ? [first] : [next, first];
  let known = { signer: first, allowed: 0, since: Number.NEGATIVE_INFINITY };
  tell(first);

  function note(reading: AllowlistReading, signer: string, since: number): void {
    // Readings of several contracts overlap: an older one takes nothing back.
    if (since < known.since) return;
    const isSame = signer === known.signer && reading.allowed.length === known.allowed;
    known = { signer, allowed: reading.allowed.length, since };
    if (!isSame) tell(signer, describe(reading));
  }

  function describe({ allowed }: AllowlistReading): string | undefined {
    if (next === undefined || allowed.length === 0) return undefined;
    if (!allowed.includes(next)) {
      return `${first} signs. The next signer ${next} is not on the allowlist of the registry ${registry} yet; its owner must call addSigner(${next}).`;
    }
    return allowed.includes(first)
      ? `The next signer ${next} signs. ${first}, which it follows, is still on the allowlist of the registry ${registry}.`
      : `The next signer ${next} signs. ${first}, which it follows, is not on the allowlist of the registry ${registry}: its key is needed no longer.`;
  }

  return {
    allowlist: { registry, signers },
    choose(reading, age) {
      const [signer] = reading.allowed;
      if (signer === undefined) return undefined;
      if (nextSigningKey === undefined) return signingKey;
      note(reading, signer, performance.now() - age);
      return signer === next ? nextSigningKey : signingKey;
    },
    signer: () => known.signer,
    check: () => (nextSigningKey?.address === known.signer ? nextSigningKey : signingKey).check(),
    nextSigner: () => (next === known.signer ? undefined : next),
    describe,
  };
}
