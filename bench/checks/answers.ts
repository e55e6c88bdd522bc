import { bytesOf, loadCurve } from "../curve.ts";
import { hashVerification, separateDomain } from "../digest.ts";
import type { LoadTask, PreparedRequest, Signing } from "../load/task.ts";
import { createIdentities } from "./identity.ts";
import type { Account } from "./ledger.ts";

const curve = await loadCurve();

/** Answers what is wrong with a verification, whoever it is for; undefined where nothing is. */
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
    const by = curve.recover(hashVerification(domain, verification), bytesOf(String(signature)));
    return by === signing.signer ? undefined : `It was signed by ${by}, not by ${signing.signer}.`;
  };
}

/**
 * Checks every answer under load: that it is one, that the signer signed it for the wallet that asked and the policy of
 * the contract that it asked for, when it expires, and that a wallet is one identity, and another wallet another.
 *
 * @throws Error that says what the first wrong answer is, and how many are.
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
    if (asked === undefined) return "It answers nothing that was asked.";
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

/** What was answered while parts fail; status 0, and why, where nothing was. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** What the service was asked, and what the wallet may have had meanwhile. */
export interface Asked {
  readonly request: PreparedRequest;
  readonly consumer: string;
  readonly accounts: readonly Account[];
}

/** What became of a request, or of a write; "away" is 503, and when to come again. */
export interface Result {
  readonly kind: "issued" | "refused" | "away" | "wrong";
  readonly problem?: string;
}

/**
 * Checks answers while parts fail: each must be right for something that the wallet had while it was asked for, or 503.
 *
 * @param rules.secret The master secret, 32 bytes hex.
 * @param rules.lifetime Seconds for which a verification is valid.
 */
export function createAnswerCheck(
  rules: Signing & { readonly secret: string; readonly provider: string; readonly lifetime: number },
): (asked: Asked, answer: Answer) => Result {
  // The chain's clock is believed to be a minute off at most, and an answer takes a while.
  const check = createVerificationCheck(rules, { from: rules.lifetime - 90, to: rules.lifetime + 90 });
  const identities = createIdentities(rules);
  const wrong = (problem: string): Result => ({ kind: "wrong", problem });

  function checkIssued({ request, consumer, accounts }: Asked, body: string): Result {
    const verification = JSON.parse(body);
    const right = accounts.flatMap((account) =>
      account?.isEnough ? identities.identityHash(account.id, consumer) : [],
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
