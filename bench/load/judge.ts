import { bytesOf, loadCurve } from "../curve.ts";
import { hashVerification, separateDomain } from "../digest.ts";
import type { Answer } from "./send.ts";
import type { LoadTask } from "./task.ts";

const curve = await loadCurve();

/**
 * Checks every answer: that it is one, that the signer signed it for the wallet that asked and the policy of the contract
 * that it asked for, that it is valid now and for an hour at most, and that a wallet is one identity, and another wallet
 * another.
 *
 * @throws Error that says what the first wrong answer is, and how many are.
 */
export function judge(
  answers: readonly Answer[],
  { requests, signing }: Pick<LoadTask, "requests" | "signing">,
): void {
  const domain = separateDomain(signing);
  const identities = new Map<string, string>();
  const owners = new Map<string, string>();
  const now = Date.now() / 1_000;

  function findProblem({ request, status, body }: Answer): string | undefined {
    if (status !== 200) return `Status ${status}: ${body.toString().slice(0, 300)}`;
    const asked = requests[request];
    if (asked === undefined) return "It answers nothing that was asked.";
    const { identityHash, expiration, signature } = JSON.parse(body.toString());
    if (!/^0x[0-9a-f]{64}$/.test(identityHash)) return `The identity hash is ${identityHash}.`;
    if (!(expiration > now - 600 && expiration < now + 3_600)) return `It expires at ${expiration}.`;
    const digest = hashVerification(domain, {
      user: bytesOf(asked.user),
      identityHash: bytesOf(identityHash),
      policyHash: bytesOf(asked.policyHash),
      expiration,
    });
    const by = curve.recover(digest, bytesOf(signature));
    if (by !== signing.signer) return `It was signed by ${by}, not by ${signing.signer}.`;
    const claim = `${asked.user} ${asked.policyHash}`;
    if ((identities.get(claim) ?? identityHash) !== identityHash) return `${asked.user} is two identities.`;
    if ((owners.get(identityHash) ?? claim) !== claim) return `${asked.user} is another's identity.`;
    identities.set(claim, identityHash);
    owners.set(identityHash, claim);
    return undefined;
  }

  const problems = answers.flatMap((answer) => {
    try {
      return findProblem(answer) ?? [];
    } catch (error) {
      return [String(error)];
    }
  });
  if (problems.length > 0) {
    throw new Error(`${problems.length} of ${answers.length} answers are wrong. The first: ${problems[0]}`);
  }
}
