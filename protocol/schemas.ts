import { z } from "zod";
import { type CatalogueEntry, operators } from "./catalogue.ts";
import type { Discovery } from "./discovery.ts";
import { type Problem, type ServiceErrorCode, serviceErrors } from "./errors.ts";
import type { Health, ReadinessCheck, ReadinessReport } from "./health.ts";
import type { SignedVerification, VerificationRequest } from "./verification.ts";

/** Every body of the service's API. The interfaces of the same names have the details. */
interface Wires {
  VerificationRequest: VerificationRequest;
  SignedVerification: SignedVerification;
  Problem: Problem<ServiceErrorCode>;
  Health: Health;
  ReadinessCheck: ReadinessCheck;
  ReadinessReport: ReadinessReport;
  CatalogueEntry: CatalogueEntry;
  Discovery: Discovery;
}

const hex = (bytes: number) =>
  z.templateLiteral(["0x", z.string().regex(new RegExp(`^[0-9a-fA-F]{${2 * bytes}}$`))]);
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const seconds = z.int().positive();
const chainId = z.int().positive();

const readinessCheck = z.strictObject({
  ok: z.boolean(),
  detail: z.string().optional().describe("What is wrong, and what its operator can do."),
});

const catalogueEntry = z.strictObject({
  type: z.enum(["int", "bool", "string"]).describe("How a value is read."),
  operators: z.array(z.enum(operators)).describe("What a condition may compare it by."),
});

/**
 * The same bodies as schemas, which validate requests and generate the OpenAPI document. They are apart from the
 * interfaces because clients import those and need no zod.
 */
export const schemas = {
  // A request may have further members.
  VerificationRequest: z.object(
    {
      message: z
        .string("must be a string: the sign-in message")
        .describe("The EIP-4361 sign-in message, at most 4 096 bytes in UTF-8."),
      signature: z
        .templateLiteral(
          ["0x", z.string().regex(/^(?:[0-9a-fA-F]{2})*$/)],
          "must be a string of 0x and an even number of hex digits",
        )
        .describe(
          "The wallet's signature over it: its own key's, ERC-1271 or ERC-6492. 0x where a contract wallet was told on chain.",
        ),
    },
    "the body must be a JSON object with the members message and signature",
  ),
  SignedVerification: z.strictObject({
    identityHash: hex(32).describe("One person at one consumer: the key to count by."),
    expiration: z
      .int()
      .min(0)
      .max(2 ** 40 - 1)
      .describe("The last second at which it is valid, in unix time of the chain."),
    signature: hex(65).describe("To be passed to the consumer as it is."),
  }),
  Problem: z.strictObject({
    type: z.url(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("For the developer who reads it; may change."),
    message: z.string().describe("The same as detail."),
    code: z.enum(Object.keys(serviceErrors) as ServiceErrorCode[]).describe("What programs go by."),
    verifyUrl: z.url().optional().describe("Where to send the user; the app adds its redirect_uri."),
  }),
  Health: z.strictObject({ status: z.literal("ok") }),
  ReadinessCheck: readinessCheck,
  ReadinessReport: z.strictObject({
    status: z.enum(["ready", "not_ready", "ending"]),
    checks: z.strictObject({
      chain: readinessCheck,
      clock: readinessCheck,
      store: readinessCheck,
      key: readinessCheck,
      signer: readinessCheck,
      erasure: readinessCheck,
    }),
  }),
  CatalogueEntry: catalogueEntry,
  Discovery: z.strictObject({
    endpoint: z.url().describe("Where verifications are requested."),
    verifyUrl: z.url().describe("The page where a user proves an account."),
    statement: z.string().describe("The statement that a sign-in message must carry."),
    lifetime: seconds.describe("Seconds for which a verification is valid."),
    messageMaxAge: seconds.describe("Seconds that a sign-in message may be old."),
    chains: z.array(
      z.strictObject({
        chainId,
        registry: address,
        signer: address.describe("Who signs verifications now."),
        nextSigner: address.optional().describe("Who signs as soon as the registry's allowlist has it."),
        domain: z
          .strictObject({ name: z.string(), version: z.string(), chainId, verifyingContract: address })
          .describe("The EIP-712 domain of a verification."),
      }),
    ),
    providers: z
      .record(z.string(), z.strictObject({ conditions: z.record(z.string(), catalogueEntry) }))
      .describe("Provider to its conditions to how each is written and compared."),
  }),
};

// A schema's optional member may be undefined, which JSON cannot express: `exactOptional` is newer than Zod 4.1.
type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<Exclude<T[Key], undefined>> } : T;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

// A schema that differs from its interface does not compile.
true satisfies Same<
  Frozen<{ [Name in keyof typeof schemas]: z.output<(typeof schemas)[Name]> }>,
  Frozen<Wires>
>;
