import { identityHash, pseudonym } from "../../protocol/identityHash.ts";
import { deriveKey } from "../../protocol/keys.ts";
import { bytesOf, recover } from "../curve.ts";
import { hashVerification, separateDomain } from "../digest.ts";
import type { LoadTask, PreparedRequest, Signing } from "../load/task.ts";
import type { Account } from "./ledger.ts";

/** Creates a function that returns the problem with a verification, or undefined. It does not check the identity. */
function createVerificationCheck(signing: Signing, lasts: { from: number; to: number }) {
  const domain = separateDomain(signing);
  return (
    { user, policyHash }: Pick<PreparedRequest, "user" | "policyHash">,
    { identityHash, expiration, signature }: Record<string, unknown>,
  ): string | undefined => {
    if (!/^0x[0-9a-f]{64}$/.test(String(identityHash))) return `The identity hash is ${identityHash}.`;
    const seconds = Number(expiration) - Date.now() / 1_000;
    if (!(seconds > lasts.from && seconds < lasts.to)) return `It expires at ${expiration}.`;
    const verification = {
      user: bytesOf(user),
      identityHash: bytesOf(String(identityHash)),
      policyHash: bytesOf(policyHash),
      expiration: Number(expiration),
    };
    const by = recover(hashVerification(domain, verification), bytesOf(String(signature)));
    return by === signing.signer ? undefined : `It was signed by ${by}, not by ${signing.signer}.`;
  };
}

/**
 * Checks every answer under load: that it is a verification, that the signer signed it for the request's wallet and the
 * policy of the request's contract, that its expiration is plausible, and that each wallet has an identity of its own.
 *
 * @throws Error with the first problem and the number of wrong answers.
 */
export function checkAnswers(
  answers: readonly { request: number; status: number; body: Buffer }[],
  { requests, signing }: Pick<LoadTask, "requests" | "signing">,
): void {
  const check = createVerificationCheck(signing, { from: -600, to: 3_600 });
  const identities = new Map<string, string>();
  const owners = new Map<string, string>();

  function findProblem({ request, status, body }: (typeof answers)[number]): string | undefined {
    if (status !== 200) return `Status ${status}: ${body.toString().slice(0, 300)}`;
    const asked = requests[request];
    if (asked === undefined) return "It answers no request.";
    const verification = JSON.parse(body.toString());
    const problem = check(asked, verification);
    if (problem !== undefined) return problem;
    const { identityHash } = verification;
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

/** An answer while parts fail; status 0 and the reason if there was none. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** A request to the service, and the accounts that the wallet may have had in the meantime. */
export interface Asked {
  readonly request: PreparedRequest;
  readonly consumer: string;
  readonly accounts: readonly Account[];
}

/** The outcome of a request or a write; "away" is a 503 with `Retry-After`. */
export interface Result {
  readonly kind: "issued" | "refused" | "away" | "wrong";
  readonly problem?: string;
}

/**
 * Creates a check of answers while parts fail: each must be right for an account that the wallet had during the
 * request, or be a 503.
 *
 * @param rules.secret The master secret, 32 bytes hex.
 * @param rules.lifetime Seconds for which a verification is valid.
 */
export function createAnswerCheck(
  rules: Signing & { readonly secret: string; readonly provider: string; readonly lifetime: number },
): (asked: Asked, answer: Answer) => Result {
  // The chain's clock may be a minute off, and an answer takes some time.
  const check = createVerificationCheck(rules, { from: rules.lifetime - 90, to: rules.lifetime + 90 });
  const { chainId, provider } = rules;
  const secret = bytesOf(rules.secret);
  const [accountKey, identityKey] = [deriveKey(secret, "account"), deriveKey(secret, "identity")];
  const hashIdentity = (accountId: string, consumer: string) =>
    identityHash({
      ...{ identityKey, chainId, consumer },
      pseudonym: pseudonym({ accountKey, provider, accountId }),
    });
  const wrong = (problem: string): Result => ({ kind: "wrong", problem });

  function checkIssued({ request, consumer, accounts }: Asked, body: string): Result {
    const verification = JSON.parse(body);
    const right = accounts.flatMap((account) =>
      account?.isEnough ? hashIdentity(account.id, consumer) : [],
    );
    if (!right.includes(verification.identityHash)) {
      return wrong(`It is ${verification.identityHash}, not ${right.join(" or ") || "a refusal"}.`);
    }
    const problem = check(request, verification);
    return problem === undefined ? { kind: "issued" } : wrong(problem);
  }

  const isRightRefusal = (account: Account, status: number, code: string) =>
    account === undefined
      ? status === 404 && code === "verification_not_found"
      : !account.isEnough && status === 400 && code === "conditions_not_satisfied";

  return (asked, { status, retryAfter, body }) => {
    try {
      if (status === 200) return checkIssued(asked, body);
      const { code } = JSON.parse(body);
      if (status === 503 && /^[1-9]\d*$/.test(retryAfter ?? "")) return { kind: "away" };
      const isRight = asked.accounts.some((account) => isRightRefusal(account, status, code));
      return isRight ? { kind: "refused" } : wrong(`Status ${status}: ${body.slice(0, 300)}`);
    } catch (error) {
      return wrong(`Status ${status}: ${body.slice(0, 300)} (${error})`);
    }
  };
}
