import type { Router } from "express";
import { z } from "zod";
import { type ServiceErrorCode, serviceErrors } from "../../../protocol/errors.ts";
import { schemas } from "../../../protocol/schemas.ts";
import { constantJson } from "./constant.ts";
import { endpoint } from "./endpoint.ts";

const codes = Object.keys(serviceErrors) as ServiceErrorCode[];

const ref = (name: string) => `#/components/schemas/${name}`;
const content = (type: string, schema: object) => ({ content: { [type]: { schema } } });
const json = (name: keyof typeof schemas) => content("application/json", { $ref: ref(name) });
const problem = content("application/problem+json", { $ref: ref("Problem" satisfies keyof typeof schemas) });

/** The problem responses, by status. */
const problems = Object.fromEntries(
  codes.map((code) => {
    const { status } = serviceErrors[code];
    const same = codes.filter((other) => serviceErrors[other].status === status);
    return [status, { description: same.join(", "), ...problem }];
  }),
);

/** A GET endpoint without parameters. A response of any other status is a problem. */
const get = (operationId: string, responses: Record<string, object>) => ({
  get: { operationId, responses: { ...responses, default: { description: "An error.", ...problem } } },
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
  paths: {
    "/v1/onchain_verifications": {
      post: {
        operationId: "requestVerification",
        requestBody: { required: true, ...json("VerificationRequest") },
        responses: { 200: { description: "A verification.", ...json("SignedVerification") }, ...problems },
      },
    },
    "/.well-known/onchain-verifications": get("discover", {
      200: { description: "What a client needs.", ...json("Discovery") },
    }),
    "/healthz": get("health", { 200: { description: "The process runs.", ...json("Health") } }),
    "/readyz": get("readiness", {
      200: { description: "Verifications can be issued.", ...json("ReadinessReport") },
      503: { description: "Verifications cannot be issued; the checks say why.", ...json("ReadinessReport") },
    }),
    "/metrics": get("metrics", {
      200: { description: "For Prometheus.", ...content("text/plain", { type: "string" }) },
    }),
    "/openapi.json": get("describe", {
      200: { description: "This document.", ...content("application/json", { type: "object" }) },
    }),
  },
  components: { schemas: componentsOf(schemas) },
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
  return endpoint("/openapi.json", { get: [constantJson(document)] });
}
