import { catalogue } from "@hardhat-identity/protocol/catalogue";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { isObject } from "@hardhat-identity/protocol/json";
import { oneOf } from "@hardhat-identity/signer/settings";
import { z } from "zod";
import type { Connector, Connectors } from "../connectors/connector.ts";
import { failureReasons } from "../messages.ts";
import { find } from "./find.ts";

// Messages complete "<place> must be …".
const text = z.string("a text").min(1, "a text");
const endpoint = z
  .string("an https URL or a path")
  .refine(isEndpoint, "an https URL, or a path that begins with a slash");
const list = z.array(text, "a list of texts");
const filled = (what: string) => z.array(text, what).min(1, what);
const keys = filled("a list of at least one text");
const place = filled("a list of texts: the name of a call, then keys");
const record = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value, "an object");

const fields = {
  label: text,
  issuer: text.optional(),
  authorizationEndpoint: endpoint,
  authorizationParameters: record(text).optional(),
  tokenEndpoint: endpoint,
  revocationEndpoint: endpoint.optional(),
  scopes: list,
  scopeSeparator: text.optional(),
  grantedScopes: text.optional(),
  codeChallenge: oneOf(["base64url", "hex", "none"]).optional(),
  clientAuthentication: oneOf(["client_secret_basic", "client_secret_post"]),
  clientIdParameter: text.optional(),
  calls: record(endpoint),
  envelope: keys.optional(),
  accountId: place,
  accountName: place.optional(),
  traits: record(place),
  errors: z
    .strictObject(
      {
        codes: z.array(keys, "a list of lists of texts").optional(),
        subcode: keys.optional(),
        success: text.optional(),
        reasons: record(oneOf(failureReasons)).optional(),
      },
      "an object",
    )
    .optional(),
} satisfies Record<keyof Omit<Connector, "name">, z.ZodType>;

const correctionSchema = z.strictObject(fields, "an object with fields of a connector").partial();

/**
 * Returns connectors with an operator's corrections, field by field.
 *
 * @param source The corrections' name in errors.
 * @throws InvalidInputError that lists every mistake.
 */
export function correctConnectors(connectors: Connectors, corrections: unknown, source: string): Connectors {
  if (!isObject(corrections)) {
    throw new InvalidInputError(`${source} must be an object of corrections by the provider's name.`);
  }
  const corrected: Record<string, Connector> = { ...connectors };
  const problems = Object.entries(corrections).flatMap(([name, correction]) => {
    const connector = corrected[name];
    if (connector === undefined || !catalogue.has(name)) {
      const known = [...catalogue.keys()].join(", ");
      return [`- ${name} is not a provider; known are ${known}. docs/providers.md says how to add one.`];
    }
    const { error } = correctionSchema.safeParse(correction);
    if (error) return error.issues.flatMap((issue) => describeIssue(name, issue, correction));
    corrected[name] = { ...connector, ...(correction as Partial<Connector>) };
    const { error: missing } = z.object(fields).safeParse(corrected[name]);
    if (missing) return missing.issues.flatMap((issue) => describeIssue(name, issue, correction));
    return describeMismatches(corrected[name]);
  });
  if (problems.length === 0) return corrected as Connectors;
  throw new InvalidInputError(`${source} is not valid:\n${problems.join("\n")}`);
}

function describeIssue(name: string, issue: z.core.$ZodIssue, correction: unknown): string[] {
  const where = [name, ...issue.path].join(".");
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(fields).join(", ");
    return issue.keys.map((key) => `- ${where} has an unknown field ${key}; known are ${known}.`);
  }
  const got = find(correction, issue.path.map(String));
  return [`- ${where} must be ${issue.message}, not ${JSON.stringify(got) ?? String(got)}.`];
}

/** Describes what does not fit together in a connector. */
function describeMismatches({ name, calls, accountId, accountName, traits }: Connector): string[] {
  const places = { accountId, accountName, ...traits };
  const unknownCalls = Object.entries(places).flatMap(([what, place]) =>
    place === undefined || Object.hasOwn(calls, place[0])
      ? []
      : [
          `- ${name}: ${what} is in the answer to ${place[0]}, which is not one of the calls (${Object.keys(calls).join(", ")}).`,
        ],
  );
  const known = [...(catalogue.get(name)?.keys() ?? [])];
  const unknownTraits = Object.keys(traits).filter((trait) => !known.includes(trait));
  const problems = unknownTraits.map(
    (trait) => `- ${name}: ${trait} is not one of the provider's traits (${known.join(", ")}).`,
  );
  return [...unknownCalls, ...problems];
}

function isEndpoint(text: string): boolean {
  if (text.startsWith("/")) return !text.startsWith("//");
  return URL.canParse(text) && new URL(text).protocol === "https:";
}
