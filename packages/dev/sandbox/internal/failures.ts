import type { Connector } from "@hardhat-identity/verify-page/connectors/connector";
import type { Response } from "express";
import { plant } from "./plant.ts";

/** The failures of a provider that a person can choose here, to see what the service makes of them. */
export const failures = ["limit", "timeout", "halfConsent", "suspended"] as const;
export type Failure = (typeof failures)[number];

/** The failures that a provider can have. Not every one asks for two things, or says that an account is suspended. */
export function failuresOf(connector: Connector): readonly Failure[] {
  const canBe: Readonly<Record<Failure, boolean>> = {
    limit: true,
    timeout: true,
    halfConsent: connector.scopes.length > 1,
    suspended: findSuspension(connector) !== undefined,
  };
  return failures.filter((failure) => canBe[failure]);
}

/** The scopes that a person grants: not all of them, if they allow only half. */
export const grantedScopes = ({ scopes }: Connector, failure: Failure | undefined): readonly string[] =>
  failure === "halfConsent" ? scopes.slice(0, -1) : scopes;

/** Answers a call of the API as a provider that fails does, or not at all. */
export function fail(connector: Connector, failure: Failure, response: Response): void {
  if (failure === "limit") response.status(429).set("retry-after", "60").json({ error: "too_many_requests" });
  if (failure === "suspended") response.status(403).json(findSuspension(connector));
}

/** The answer with which a provider says that an account is suspended, as the connector reads it. */
function findSuspension({ errors }: Connector): object | undefined {
  const known = Object.entries(errors?.reasons ?? {}).find(([, reason]) => reason === "account_blocked");
  if (known === undefined) return undefined;
  const [code = "", subcode] = known[0].split("/");
  const answer: Record<string, unknown> = {};
  plant(answer, errors?.codes?.[0] ?? ["error"], code);
  if (subcode !== undefined) plant(answer, errors?.subcode ?? [], subcode);
  return answer;
}
