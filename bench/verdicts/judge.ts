import { bytesOf, loadCurve } from "../curve.ts";
import { hashVerification, separateDomain } from "../digest.ts";
import type { PreparedRequest, Signing } from "../load/task.ts";
import type { Answer } from "./ask.ts";
import { createIdentities } from "./identity.ts";
import type { Account } from "./ledger.ts";

/** What the service was asked, and what the wallet may have had meanwhile. */
export interface Asked {
  readonly request: PreparedRequest;
  readonly consumer: string;
  readonly accounts: readonly Account[];
}

/** What became of a request. */
export type Verdict =
  | { readonly kind: "issued" }
  | { readonly kind: "refused"; readonly code: string }
  /** 503, and when to come again. */
  | { readonly kind: "away"; readonly code: string }
  | { readonly kind: "wrong"; readonly problem: string };

/** What all answers have in common. */
export interface Rules extends Signing {
  /** The master secret, 32 bytes hex. */
  readonly secret: string;
  readonly provider: string;
  /** Seconds for which a verification is valid. */
  readonly lifetime: number;
}

/** Seconds by which the chain's clock is believed to be off, and some for how long an answer takes. */
const slack = 60 + 30;

const curve = await loadCurve();

/** Judges answers: each must be right for something that the wallet had while it was asked for, or 503. */
export function createJudge(rules: Rules): (asked: Asked, answer: Answer) => Verdict {
  const domain = separateDomain(rules);
  const identities = createIdentities(rules);
  const wrong = (problem: string): Verdict => ({ kind: "wrong", problem });

  function judgeIssued({ request, consumer, accounts }: Asked, body: string): Verdict {
    const { identityHash, expiration, signature } = JSON.parse(body);
    const right = accounts.flatMap((account) =>
      account?.isEnough ? identities.identityHash(account.id, consumer) : [],
    );
    if (right.length === 0) return wrong("A wallet without such an account got a verification.");
    if (!right.includes(identityHash)) return wrong(`It is ${identityHash}, not ${right.join(" or ")}.`);
    const valid = expiration - Date.now() / 1_000;
    if (!(Math.abs(valid - rules.lifetime) < slack)) return wrong(`It expires in ${valid} seconds.`);
    const verification = {
      user: bytesOf(request.user),
      identityHash: bytesOf(identityHash),
      policyHash: bytesOf(request.policyHash),
      expiration,
    };
    const by = curve.recover(hashVerification(domain, verification), bytesOf(signature));
    return by === rules.signer ? { kind: "issued" } : wrong(`${by} has signed it, not ${rules.signer}.`);
  }

  function judgeRefused({ accounts }: Asked, status: number, body: string): Verdict {
    const { code } = JSON.parse(body);
    const right = accounts.some(
      (account) =>
        (account === undefined && status === 404 && code === "verification_not_found") ||
        (account?.isEnough === false && status === 400 && code === "conditions_not_satisfied"),
    );
    return right ? { kind: "refused", code } : wrong(`Status ${status}: ${body.slice(0, 300)}`);
  }

  function judgeAway({ retryAfter, body }: Answer): Verdict {
    if (!/^[1-9]\d*$/.test(retryAfter ?? "")) return wrong(`503 with Retry-After ${retryAfter}.`);
    return { kind: "away", code: JSON.parse(body).code };
  }

  return (asked, answer) => {
    const { status, body } = answer;
    try {
      if (status === 200) return judgeIssued(asked, body);
      return status === 503 ? judgeAway(answer) : judgeRefused(asked, status, body);
    } catch (error) {
      return wrong(`Status ${status}: ${body.slice(0, 300)} (${error})`);
    }
  };
}
