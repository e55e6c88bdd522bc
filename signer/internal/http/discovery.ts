import type { Router } from "express";
import { catalogue } from "../../../protocol/catalogue.ts";
import type { Discovery } from "../../../protocol/discovery.ts";
import { statement } from "../../../protocol/signIn/statement.ts";
import { verificationDomain } from "../../../protocol/verification.ts";
import type { Service } from "../service.ts";
import { endpoint } from "./endpoint.ts";

/** `GET /.well-known/onchain-verifications`: what a client needs to know, so that it need not be configured. */
export function discovery({ config, signingKey, publicUrl, verifyUrl }: Service): Router {
  const { chainId, registry } = config;
  const domain = verificationDomain({ chainId, registry });
  const document: Discovery = {
    endpoint: `${publicUrl}/v1/onchain_verifications`,
    verifyUrl,
    statement,
    lifetime: config.verificationLifetime,
    messageMaxAge: config.messageMaxAge,
    chains: [{ chainId, registry, signer: signingKey.address, domain }],
    providers: Object.fromEntries(
      [...catalogue].map(([provider, conditions]) => [
        provider,
        { conditions: Object.fromEntries(conditions) },
      ]),
    ),
  };
  return endpoint("/.well-known/onchain-verifications", {
    get: [(_request, response) => void response.json(document)],
  });
}
