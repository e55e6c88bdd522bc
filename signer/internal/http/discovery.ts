import { catalogue } from "@hardhat-identity/protocol/catalogue";
import type { Discovery } from "@hardhat-identity/protocol/discovery";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { statement } from "@hardhat-identity/protocol/signIn/statement";
import { verificationDomain } from "@hardhat-identity/protocol/verification";
import type { RequestHandler, Router } from "express";
import type { SigningKeys } from "../keys/signingKeys.ts";
import { messageMaxAgeSeconds } from "../service/issueVerification.ts";
import type { Readiness } from "../service/readiness.ts";
import { constantJson, endpoint } from "./endpoint.ts";

/** The part of the service that the discovery document describes. */
interface DiscoveredService {
  readonly config: {
    readonly chainId: number;
    readonly registry: string;
    readonly verificationLifetime: number;
  };
  readonly signingKeys: Pick<SigningKeys, "allowlist" | "signer" | "nextSigner">;
  readonly readiness: Pick<Readiness, "check">;
  readonly publicUrl: string;
  readonly verifyUrl: string;
  readonly testIdentity: Hex;
}

/** `GET /.well-known/onchain-verifications`: everything that a client needs, so that it needs no configuration. */
export function discovery(service: DiscoveredService): Router {
  const { config, signingKeys, readiness, publicUrl, verifyUrl, testIdentity } = service;
  const { chainId, registry } = config;
  const domain = verificationDomain({ chainId, registry });
  const chain = { chainId, registry, signer: signingKeys.signer(), domain };
  const document: Discovery = {
    endpoint: `${publicUrl}/v1/onchain_verifications`,
    verifyUrl,
    statement,
    lifetime: config.verificationLifetime,
    messageMaxAge: messageMaxAgeSeconds,
    testIdentity,
    chains: [chain],
    providers: Object.fromEntries(
      [...catalogue].map(([provider, conditions]) => [
        provider,
        { conditions: Object.fromEntries(conditions) },
      ]),
    ),
  };
  const isFollowed = signingKeys.allowlist.signers.length > 1;

  /** Returns the current signers. It reads the registry first: a request for a verification may never have done so. */
  async function tellSigners(): Promise<Discovery> {
    await readiness.check();
    const nextSigner = signingKeys.nextSigner();
    const signers = { signer: signingKeys.signer(), ...(nextSigner !== undefined && { nextSigner }) };
    return { ...document, chains: [{ ...chain, ...signers }] };
  }

  const answer: RequestHandler = isFollowed
    ? async (_request, response) => void response.json(await tellSigners())
    : constantJson(document);
  return endpoint("/.well-known/onchain-verifications", "get", answer);
}
