import { type ServiceErrorCode, serviceErrors } from "@hardhat-identity/protocol/errors";
import type { Router } from "express";
import { z } from "zod";
import { schemas } from "../../schemas.ts";
import { constantJson, endpoint } from "./endpoint.ts";

const codes = Object.keys(serviceErrors) as ServiceErrorCode[];

const ref = (name: string) => `#/components/schemas/${name}`;
const content = (type: string, schema: object) => ({ content: { [type]: { schema } } });
const json = (name: keyof typeof schemas) => content("application/json", { $ref: ref(name) });
const anyProblem = { $ref: ref("Problem" satisfies keyof typeof schemas) };
const problem = content("application/problem+json", anyProblem);

const header = (name: keyof typeof headers) => ({ [name]: { $ref: `#/components/headers/${name}` } });

/** Headers of responses. */
const headers = {
  "x-request-id": { description: "The request's id in the service's log.", schema: { type: "string" } },
  "Retry-After": {
    description: "Seconds after which to try again.",
    schema: { type: "integer", minimum: 1, maximum: 60 },
  },
};
const always = header("x-request-id");

/** The problem responses, by status, each with its codes. */
const problems = Object.fromEntries(
  codes.map((code) => {
    const { status } = serviceErrors[code];
    const same = codes.filter((other) => serviceErrors[other].status === status);
    const narrowed = { properties: { status: { const: status }, code: { enum: same } } };
    const response = content("application/problem+json", { allOf: [anyProblem, narrowed] });
    const own = status === 429 || status === 503 ? { ...always, ...header("Retry-After") } : always;
    return [status, { description: same.join(", "), headers: own, ...response }];
  }),
);

/** A GET endpoint without parameters. A response of any other status is a problem. */
const get = (operationId: string, summary: string, responses: Record<string, object>) => ({
  get: {
    operationId,
    summary,
    responses: Object.fromEntries(
      Object.entries({ ...responses, default: { description: "An error.", ...problem } }).map(
        ([status, response]) => [status, { headers: always, ...response }],
      ),
    ),
  },
});

/** The OpenAPI document. */
export const document = {
  openapi: "3.1.0",
  info: {
    title: "Onchain identity verifications",
    version: "1",
    description: "Exchanges a signed sign-in message for a short-lived signed verification.",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "/", description: "The service that this document is from." }],
  // The signed message authenticates the request.
  security: [],
  paths: {
    "/v1/onchain_verifications": {
      post: {
        operationId: "requestVerification",
        summary: "Exchange a signed sign-in message for a signed verification",
        requestBody: { required: true, ...json("VerificationRequest") },
        responses: {
          200: { description: "A verification.", headers: always, ...json("SignedVerification") },
          ...problems,
        },
      },
    },
    "/.well-known/onchain-verifications": get("discover", "Tell what a client needs", {
      200: { description: "The service's chains, providers and time limits.", ...json("Discovery") },
    }),
    "/healthz": get("health", "Tell whether the process runs", {
      200: { description: "The process runs.", ...json("Health") },
    }),
    "/readyz": get("readiness", "Tell whether verifications can be issued", {
      200: { description: "Verifications can be issued.", ...json("ReadinessReport") },
      503: { description: "Verifications cannot be issued; the checks say why.", ...json("ReadinessReport") },
    }),
    "/metrics": get("metrics", "Render metrics for Prometheus", {
      200: {
        description: "For Prometheus; on `IDENTITY_METRICS_PORT` if set.",
        ...content("text/plain", { type: "string" }),
      },
    }),
    "/openapi.json": get("describe", "Describe this API", {
      200: { description: "This document.", ...content("application/json", { type: "object" }) },
    }),
  },
  components: { headers, schemas: componentsOf(schemas) },
};

/** Returns JSON Schemas 2020-12, the dialect of OpenAPI 3.1, with references to each other. */
function componentsOf(described: Record<string, z.ZodType>): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(described)) registry.add(schema, { id });
  // As requests are written: optional members may be missing, and unknown members are allowed.
  const generated = z.toJSONSchema(registry, { uri: ref, io: "input" }).schemas;
  return Object.fromEntries(
    Object.entries(generated).map(([name, { $schema, $id, ...schema }]) => [name, schema]),
  );
}

/** `GET /openapi.json`: a description of the API. */
export function openapi(): Router {
  return endpoint("/openapi.json", "get", constantJson(document));
}
