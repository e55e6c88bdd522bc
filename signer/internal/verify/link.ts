import type { Router } from "express";
import { isSignedBy } from "../../../chain/signature.ts";
import { linkRequest } from "../../../protocol/verifyPage.ts";
import { noted } from "../http/requestNotes.ts";
import type { Service } from "../service/service.ts";
import { ServiceError } from "../service/serviceError.ts";
import { buildLinkMessage, linkLifetime } from "./linkMessage.ts";
import { pageAction } from "./pageAction.ts";
import { demandShown, randomId, type VisitParts } from "./session.ts";

/** `POST /verify/link`: signs a wallet in by its signature over the message that it was asked to sign. */
export function link(
  parts: VisitParts & Pick<Service, "chain" | "recovery" | "spendGas" | "store"> & { chainId: number },
): Router {
  const { cookies, verifyUrl, chainId, chain, recovery, spendGas, store } = parts;
  return pageAction("/verify/link", verifyUrl, linkRequest, async (asked, request, response) => {
    const challenge = await cookies.challenge.read(request);
    const issuedAt = new Date(challenge?.issuedAt ?? 0);
    const expiresAt = Math.floor(issuedAt.getTime() / 1000) + linkLifetime;
    if (challenge === undefined || expiresAt * 1000 < Date.now()) {
      throw new ServiceError("not_signed_in", "No message is waiting for a signature; ask for a new one.");
    }
    demandShown(challenge, asked.wallet);
    const { wallet } = challenge;
    const signed = buildLinkMessage({ pageUrl: verifyUrl, chainId, ...challenge, issuedAt });
    const spend = spendGas(noted(response).client);
    const given = { message: signed, signature: asked.signature, wallet };
    if (!(await isSignedBy(chain.open(), given, spend, recovery))) {
      throw new ServiceError("invalid_argument", "The signature is not the wallet's over this message.");
    }
    if (!(await store.spendNonce(`link:${challenge.nonce}`, expiresAt))) {
      throw new ServiceError("not_signed_in", "This message has been used; ask for a new one.");
    }
    // A new id, so that nothing started before, by anybody, continues as this wallet.
    await cookies.session.write(response, { id: randomId(), wallet });
    cookies.challenge.clear(response);
    cookies.proof.clear(response);
    response.status(204).end();
  });
}
