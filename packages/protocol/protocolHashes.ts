import { addressWord, bytes32Word, encodeSequence, encodeString, uintWord } from "./abiWords.ts";
import { bytesToHex, utf8ToBytes } from "./bytes.ts";
import { type Hash, type Hashes, portableHashes } from "./hashes.ts";
import type { Hex } from "./hex.ts";
import type { EncodedPolicy } from "./policyEncoding.ts";
import {
  type Verification,
  type VerificationDomain,
  verificationDomain,
  verificationTypes,
} from "./verification.ts";

/** The policy hash of a consumer on one chain. */
export type HashPolicy = (consumer: string, encoded: EncodedPolicy) => Hex;

/** A verification, and its EIP-712 digest in the registry's domain. */
export interface ComposedVerification {
  readonly verification: Verification;
  readonly digest: Hex;
}

/**
 * Composes the verification of one wallet at one consumer.
 *
 * @param input.user The wallet that may spend it, 20 bytes hex.
 * @param input.pseudonym Stands for the account that was proven; see `pseudonym`.
 * @param input.policyHash The consumer's policy; see `policyHash`.
 * @param input.expiration The last second at which it is valid, unix seconds of the chain's clock.
 */
export type ComposeVerification = (input: {
  consumer: string;
  user: string;
  pseudonym: string;
  policyHash: Hex;
  expiration: number;
}) => ComposedVerification;

/** The hashes that the protocol defines. */
export interface ProtocolHashes {
  /**
   * The keyed hash under which an account is stored:
   * `HMAC-SHA-256(accountKey, abi.encode(string provider, string accountId))`.
   *
   * @param input.accountKey The key derived for purpose `account`, 32 bytes.
   * @param input.accountId The provider's own stable id, byte for byte; never a handle.
   * @returns 32 bytes hex.
   */
  pseudonym(input: { accountKey: Uint8Array; provider: string; accountId: string }): Hex;

  /**
   * The identity hash of an account at one consumer on one chain:
   * `HMAC-SHA-256(identityKey, abi.encode(uint256 chainId, address consumer, bytes32 pseudonym))`.
   * It depends neither on the wallet nor on the conditions.
   *
   * @param input.identityKey The key derived for purpose `identity`, 32 bytes.
   * @param input.pseudonym See {@link pseudonym}; 32 bytes hex.
   * @returns 32 bytes hex.
   */
  identityHash(input: {
    identityKey: Uint8Array;
    chainId: bigint | number;
    consumer: string;
    pseudonym: string;
  }): Hex;

  /**
   * The hash that binds a verification to one consumer's policy on one chain, as the registry computes it:
   * `keccak256(abi.encode(uint256 chainId, address consumer, string provider, Condition[] conditions))`,
   * from the getters' return data without decoding it.
   */
  policyHash(input: { chainId: bigint | number; consumer: string; encoded: EncodedPolicy }): Hex;

  /** Computes policy hashes for one chain, once for each reading of a consumer. */
  policyHasher(chainId: number): HashPolicy;

  /** The EIP-712 digest of a verification, 32 bytes hex. The separator of a domain is computed once. */
  hashVerification(domain: VerificationDomain, verification: Verification): Hex;

  /**
   * Composes verifications for one registry. Values that all of them share are computed once.
   *
   * @param input.registry The registry that consumers ask, 20 bytes hex.
   * @param input.identityKey The key derived for purpose `identity`, 32 bytes.
   */
  verificationComposer(input: {
    chainId: number;
    registry: string;
    identityKey: Uint8Array;
  }): ComposeVerification;
}

/** Computes the protocol's hashes with the given hash functions. */
export function protocolHashes({ keccak256, hmacSha256 }: Hashes): ProtocolHashes {
  const hashText = (text: string): Hex => keccak256(`0x${bytesToHex(utf8ToBytes(text))}`);
  const domainTypeHash = hashText(encodeType("EIP712Domain", domainType));
  const verificationTypeHash = hashText(encodeType("Verification", verificationTypes.Verification));
  const separators = new WeakMap<VerificationDomain, Hex>();

  function domainSeparator(domain: VerificationDomain): Hex {
    const known = separators.get(domain);
    if (known !== undefined) return known;
    const words = [
      bytes32Word(domainTypeHash),
      bytes32Word(hashText(domain.name)),
      bytes32Word(hashText(domain.version)),
      uintWord(domain.chainId),
      addressWord(domain.verifyingContract),
    ];
    const separator = keccak256(`0x${words.join("")}`);
    separators.set(domain, separator);
    return separator;
  }

  const hashIdentity = (
    keyed: Hash,
    { chainId, consumer, pseudonym }: { chainId: bigint | number; consumer: string; pseudonym: string },
  ): Hex => keyed(`0x${uintWord(chainId)}${addressWord(consumer)}${bytes32Word(pseudonym)}`);

  const hashes: ProtocolHashes = {
    pseudonym({ accountKey, provider, accountId }) {
      const account = encodeSequence([provider, accountId].map(encodeString));
      return hmacSha256(accountKey)(`0x${account.hex}`);
    },

    identityHash: (input) => hashIdentity(hmacSha256(input.identityKey), input),

    policyHash({ chainId, consumer, encoded }) {
      // A getter returns the offset of its one value, then the value. abi.encode needs the value alone.
      const provider = encoded.provider.slice(2 + 64);
      const conditions = encoded.conditions.slice(2 + 64);
      const head = 4 * 32;
      const values = [
        uintWord(chainId),
        addressWord(consumer),
        uintWord(head),
        uintWord(head + provider.length / 2),
        provider,
        conditions,
      ];
      return keccak256(`0x${values.join("")}`);
    },

    policyHasher(chainId) {
      const known = new WeakMap<EncodedPolicy, { consumer: string; hash: Hex }>();
      return (consumer, encoded) => {
        const found = known.get(encoded);
        if (found?.consumer === consumer) return found.hash;
        const hash = hashes.policyHash({ chainId, consumer, encoded });
        known.set(encoded, { consumer, hash });
        return hash;
      };
    },

    hashVerification(domain, { user, identityHash, policyHash, expiration }) {
      const words = [
        bytes32Word(verificationTypeHash),
        addressWord(user),
        bytes32Word(identityHash),
        bytes32Word(policyHash),
        uintWord(expiration, 40),
      ];
      const struct = keccak256(`0x${words.join("")}`);
      return keccak256(`0x1901${bytes32Word(domainSeparator(domain))}${bytes32Word(struct)}`);
    },

    verificationComposer({ chainId, registry, identityKey }) {
      const domain = verificationDomain({ chainId, registry });
      const keyed = hmacSha256(identityKey);
      return ({ consumer, user, pseudonym, policyHash, expiration }) => {
        const identityHash = hashIdentity(keyed, { chainId, consumer, pseudonym });
        const verification = { user, identityHash, policyHash, expiration };
        return { verification, digest: hashes.hashVerification(domain, verification) };
      };
    },
  };
  return hashes;
}

/** The members of {@link VerificationDomain}, as EIP-712 declares them. */
const domainType = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

/** `encodeType` of EIP-712. */
const encodeType = (name: string, members: readonly { name: string; type: string }[]): string =>
  `${name}(${members.map((member) => `${member.type} ${member.name}`).join(",")})`;

// With portable hash functions; the service has faster ones.
export const { pseudonym, identityHash, policyHash, policyHasher, hashVerification, verificationComposer } =
  protocolHashes(portableHashes);
