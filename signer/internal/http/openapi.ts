import type { Router } from "express";
import { type ServiceErrorCode, serviceErrors } from "../../../protocol/errors.ts";
import { endpoint } from "./endpoint.ts";

const hex = (bytes: number) => ({ type: "string", pattern: `^0x[0-9a-fA-F]{${2 * bytes}}$` });
const object = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const answer = (description: string, schema: object) => ({
  description,
  content: { "application/json": { schema } },
});
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const codes = Object.keys(serviceErrors) as ServiceErrorCode[];
const check = object({ ok: { type: "boolean" }, detail: { type: "string" } }, ["detail"]);

const schemas = {
  Request: object({
    message: { type: "string", description: "The EIP-4361 sign-in message." },
    signature: {
      type: "string",
      pattern: "^0x([0-9a-fA-F]{2})+$",
      description: "The wallet's signature over it: its own key's, ERC-1271 or ERC-6492.",
    },
  }),
  Verification: object({
    identityHash: { ...hex(32), description: "One person at one consumer: the key to count by." },
    expiration: { type: "integer", description: "The last second at which it is valid, in unix time." },
    signature: { ...hex(65), description: "To be passed to the consumer as it is." },
  }),
  Problem: object(
    {
      type: { type: "string", format: "uri" },
      title: { type: "string" },
      status: { type: "integer" },
      detail: { type: "string" },
      code: { enum: codes },
      verifyUrl: {
        type: "string",
        format: "uri",
        description: "Where to send the user; the app adds its redirect_uri.",
      },
    },
    ["verifyUrl"],
  ),
  Health: object({ status: { const: "ok" } }),
  Readiness: object({
    status: { enum: ["ready", "not_ready"] },
    checks: object({ chain: check, store: check, signer: check }),
  }),
  Discovery: object({
    endpoint: { type: "string", format: "uri" },
    verifyUrl: { type: "string", format: "uri" },
    statement: { type: "string" },
    lifetime: { type: "integer", description: "Seconds." },
    messageMaxAge: { type: "integer", description: "Seconds." },
    chains: {
      type: "array",
      items: object({
        chainId: { type: "integer" },
        registry: hex(20),
        signer: hex(20),
        domain: object({
          name: { type: "string" },
          version: { type: "string" },
          chainId: { type: "integer" },
          verifyingContract: hex(20),
        }),
      }),
    },
    providers: {
      type: "object",
      additionalProperties: object({
        conditions: {
          type: "object",
          additionalProperties: object({
            type: { enum: ["int", "bool", "string"] },
            operators: { type: "array", items: { type: "string" } },
          }),
        },
      }),
    },
  }),
};

/** The answers of each status that a problem can have. */
const problems = Object.fromEntries(
  codes.map((code) => {
    const { status } = serviceErrors[code];
    const same = codes.filter((other) => serviceErrors[other].status === status);
    const content = { "application/problem+json": { schema: ref("Problem") } };
    return [status, { description: same.join(", "), content }];
  }),
);

const document = {
  openapi: "3.1.0",
  info: {
    title: "Onchain identity verifications",
    version: "1",
    description: "Exchanges a signed sign-in message for a short-lived signed verification.",
    license: { name: "MIT", identifier: "MIT" },
  },
  paths: {
    "/v1/onchain_verifications": {
      post: {
        operationId: "requestVerification",
        requestBody: { required: true, content: { "application/json": { schema: ref("Request") } } },
        responses: { 200: answer("A verification.", ref("Verification")), ...problems },
      },
    },
    "/.well-known/onchain-verifications": {
      get: { operationId: "discover", responses: { 200: answer("What a client needs.", ref("Discovery")) } },
    },
    "/healthz": {
      get: { operationId: "health", responses: { 200: answer("The process runs.", ref("Health")) } },
    },
    "/readyz": {
      get: {
        operationId: "readiness",
        responses: {
          200: answer("Verifications can be issued.", ref("Readiness")),
          503: answer("They cannot; the checks say why.", ref("Readiness")),
        },
      },
    },
  },
  components: { schemas },
};

/** `GET /openapi.json`: a description of the API. */
export function openapi(): Router {
  return endpoint("/openapi.json", { get: [(_request, response) => void response.json(document)] });
}
