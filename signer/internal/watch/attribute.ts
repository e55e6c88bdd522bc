import type { Conversation } from "../../../chain/connect.ts";
import { checksumAddress, isAddress } from "../../../protocol/address.ts";
import type { Hex } from "../../../protocol/hex.ts";
import { hashVerification, type VerificationDomain } from "../../../protocol/verification.ts";
import type { Curve } from "../curve/curve.ts";
import type { Claim } from "./findEntries.ts";

/** The greatest number of signers recovered for a claim: whoever sends it chooses how much its call data resembles. */
const maxRecoveries = 10_000;

/**
 * Finds who signed the verification of a claim, in the call data of its transaction: whatever there is a signature, an
 * expiration and a wallet, however they were packed. That is a proof, whatever the consumer does: the signer's key signed
 * this identity for this consumer.
 *
 * @param policyHash The consumer's.
 * @param signers The signers to whom it may be attributed.
 * @returns `undefined` if the call data does not tell, such as when a contract had the signature before.
 */
export async function attribute(
  node: Conversation,
  claim: Claim,
  about: { domain: VerificationDomain; policyHash: Hex; signers: ReadonlySet<string>; curve: Curve },
): Promise<string | undefined> {
  const { domain, policyHash, signers, curve } = about;
  const method = "eth_getTransactionByHash";
  const found = await node.request({ method, params: [claim.transactionHash] });
  const { input = "0x", from = "", to = "" } = Object(found) as Record<string, string | null>;
  const digits = String(input).slice(2).toLowerCase();
  // The caller is mostly who sends the transaction or, in a batch, the account that it calls.
  const users = new Set([from, to, ...findAddresses(digits)].filter((each) => isAddress(String(each))));
  const expirations = findExpirations(digits, claim.time);
  const signatures = [...findSignatures(digits)];
  const identityHash = claim.identityHash as Hex;
  let recoveries = 0;
  for (const user of users) {
    for (const signature of signatures) {
      for (const expiration of expirations) {
        if (++recoveries > maxRecoveries) return undefined;
        const digest = hashVerification(domain, { user: String(user), identityHash, policyHash, expiration });
        const recovered = curve.recover(digest, signature);
        const signer = recovered && checksumAddress(recovered);
        if (signer && signers.has(signer)) return signer;
      }
    }
  }
  return undefined;
}

/** 65 bytes anywhere that can be a signature: r, s, v of 27 or 28. */
function* findSignatures(digits: string): Generator<Hex> {
  for (let at = 0; at + 130 <= digits.length; at += 2) {
    const v = digits.slice(at + 128, at + 130);
    const signature = digits.slice(at, at + 130);
    if ((v === "1b" || v === "1c") && !signature.startsWith("0".repeat(16))) yield `0x${signature}`;
  }
}

/** Words that can be an expiration that had not passed. */
function findExpirations(digits: string, time: number): Set<number> {
  const words = findWords(digits, 54).map((word) => Number.parseInt(word, 16));
  return new Set(words.filter((word) => word >= time));
}

/** Words that can be an address: not the zeros around a small number. */
const findAddresses = (digits: string) =>
  findWords(digits, 24)
    .filter((word) => (word.match(/../g) ?? []).filter((byte) => byte !== "00").length >= 10)
    .map((word) => `0x${word}`);

/** The ends of all words, wherever they begin, whose beginning is so many zeros. */
function findWords(digits: string, zeros: number): string[] {
  const words = new Set<string>();
  const blank = "0".repeat(zeros);
  for (let at = digits.indexOf(blank); at >= 0; at = digits.indexOf(blank, at + 1)) {
    const word = digits.slice(at + zeros, at + 64);
    if (at % 2 === 0 && word.length === 64 - zeros && /[1-9a-f]/.test(word)) words.add(word);
  }
  return [...words];
}
