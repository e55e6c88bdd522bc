import { concat, TypedDataEncoder } from "ethers";
import { bytesOf, keccak, recover } from "./curve.ts";
import type { LoadTask, PreparedRequest, Signing } from "./task.ts";

// Stated again here, and encoded by ethers, because they check the product's own code.
const encoder = new TypedDataEncoder({
  Verification: [
    { name: "user", type: "address" },
    { name: "identityHash", type: "bytes32" },
    { name: "policyHash", type: "bytes32" },
    { name: "expiration", type: "uint40" },
  ],
});

/**
 * Creates a function that returns the problem with an answer, or undefined: it must be a verification that the signer signed
 * for the request's wallet and the policy of the request's contract, its expiration must be plausible, and each wallet
 * must have an identity of its own. The service's own tests check the rest.
 */
export function createAnswerCheck(
  signing: Signing,
): (asked: PreparedRequest, status: number, body: string) => string | undefined {
  const { chainId, registry: verifyingContract } = signing;
  const domain = { name: "SignerRegistry", version: "1", chainId, verifyingContract };
  const domainHash = TypedDataEncoder.hashDomain(domain);
  const identities = new Map<string, string>();
  const owners = new Map<string, string>();

  function findProblem({ user, policyHash }: PreparedRequest, body: string): string | undefined {
    const { identityHash, expiration, signature } = JSON.parse(body);
    if (!/^0x[0-9a-f]{64}$/.test(String(identityHash))) return `The identity hash is ${identityHash}.`;
    const seconds = Number(expiration) - Date.now() / 1_000;
    if (!(seconds > -600 && seconds < 3_600)) return `It expires at ${expiration}.`;
    const hash = encoder.hash({ user, identityHash, policyHash, expiration: Number(expiration) });
    const by = recover(keccak(bytesOf(concat(["0x1901", domainHash, hash]))), bytesOf(String(signature)));
    if (by !== signing.signer) return `It was signed by ${by}, not by ${signing.signer}.`;
    const claim = `${user} ${policyHash}`;
    if ((identities.get(claim) ?? identityHash) !== identityHash) return `${user} is two identities.`;
    if ((owners.get(identityHash) ?? claim) !== claim) return `${user} is another's identity.`;
    identities.set(claim, identityHash);
    owners.set(identityHash, claim);
    return undefined;
  }

  return (asked, status, body) => {
    if (status !== 200) return `Status ${status}: ${body.slice(0, 300)}`;
    try {
      return findProblem(asked, body);
    } catch (error) {
      return String(error);
    }
  };
}

/**
 * Checks every answer under load.
 *
 * @throws Error with the first problem and the number of wrong answers.
 */
export function checkAnswers(
  answers: readonly { request: number; status: number; body: Buffer }[],
  { requests, signing }: Pick<LoadTask, "requests" | "signing">,
): void {
  const check = createAnswerCheck(signing);
  const problems = answers.flatMap(
    ({ request, status, body }) => check(requests[request] as PreparedRequest, status, body.toString()) ?? [],
  );
  if (problems.length > 0) {
    throw new Error(`${problems.length} of ${answers.length} answers are wrong. The first: ${problems[0]}`);
  }
}
