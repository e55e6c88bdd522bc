import { type CatalogueEntry, operators } from "@hardhat-identity/protocol/catalogue";
import type { Discovery } from "@hardhat-identity/protocol/discovery";
import { type Problem, type ServiceErrorCode, serviceErrors } from "@hardhat-identity/protocol/errors";
import type { Health, ReadinessCheck, ReadinessReport } from "@hardhat-identity/protocol/health";
import { lastChainSecond } from "@hardhat-identity/protocol/lastSeconds";
import type { SignedVerification, VerificationRequest } from "@hardhat-identity/protocol/verification";
import { z } from "zod";

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
  detail: z.string().optional().describe("The problem and its remedy."),
});

const catalogueEntry = z.strictObject({
  type: z.enum(["int", "bool", "string"]).describe("The type of a value."),
  operators: z.array(z.enum(operators)).describe("The operators of a condition; `in` is reserved."),
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
        .describe("The EIP-4361 sign-in message, at most 4,096 bytes in UTF-8."),
      signature: z
        .templateLiteral(
          ["0x", z.string().regex(/^(?:[0-9a-fA-F]{2})*$/)],
          "must be a string of 0x and an even number of hex digits",
        )
        .describe(
          "The wallet's signature: its own key's (65 bytes, or 64 by EIP-2098), ERC-1271 or ERC-6492; 0x if a contract wallet signed on chain.",
        ),
    },
    "the body must be a JSON object with the members message and signature",
  ),
  SignedVerification: z.strictObject({
    identityHash: hex(32).describe("One person at one consumer."),
    expiration: z
      .int()
      .min(0)
      .max(lastChainSecond)
      .describe("The last second at which it is valid, in unix time of the chain."),
    signature: hex(65).describe("Pass it to the consumer unchanged."),
  }),
  // Clients ignore further members (RFC 9457, section 3.2).
  Problem: z.object({
    type: z.url(),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().describe("For developers; may change."),
    message: z.string().describe("The same as detail."),
    code: z.enum(Object.keys(serviceErrors) as ServiceErrorCode[]).describe("For programs."),
    verifyUrl: z.url().optional().describe("Add your redirect_uri, and send the user there."),
    serviceTime: z.iso
      .datetime()
      .optional()
      .describe("The service's time, if it refused a message for its times: compare your device's clock."),
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
    endpoint: z.url().describe("The URL that issues verifications."),
    verifyUrl: z.url().describe("The page where a user verifies an account."),
    statement: z.string().describe("The statement of every sign-in message."),
    lifetime: seconds.describe("For how many seconds a verification is valid."),
    messageMaxAge: seconds.describe("For how many seconds a sign-in message is accepted."),
    testIdentity: hex(32)
      .optional()
      .describe("The hash of a test identity: services of one registry must all have the same."),
    chains: z.array(
      z.strictObject({
        chainId,
        registry: address,
        signer: address.describe("The signer of verifications."),
        nextSigner: address.optional().describe("The signer as soon as the registry's allowlist has it."),
        domain: z
          .strictObject({ name: z.string(), version: z.string(), chainId, verifyingContract: address })
          .describe("The EIP-712 domain of a verification."),
      }),
    ),
    providers: z
      .record(z.string(), z.strictObject({ conditions: z.record(z.string(), catalogueEntry) }))
      .describe("Each provider's conditions, by name."),
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
