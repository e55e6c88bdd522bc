import type { Router } from "express";
import { checksumAddress } from "../../../protocol/address.ts";
import { type MessageAnswer, messageRequest } from "../../../protocol/verifyPage.ts";
import { buildLinkMessage } from "./linkMessage.ts";
import { pageAction } from "./pageAction.ts";
import { randomId, type VisitParts } from "./session.ts";

/** `POST /verify/message`: returns the message that a wallet has to sign, and binds it to the browser. */
export function message({ cookies, verifyUrl, chainId }: VisitParts & { chainId: number }): Router {
  return pageAction("/verify/message", verifyUrl, messageRequest, async (asked, request, response) => {
    const wallet = checksumAddress(asked.wallet);
    const issuedAt = new Date();
    const challenge = { wallet, nonce: randomId(), issuedAt: issuedAt.toISOString() };
    await cookies.challenges.add(request, response, challenge);
    response.json({
      message: buildLinkMessage({ pageUrl: verifyUrl, chainId, ...challenge, issuedAt }),
    } satisfies MessageAnswer);
  });
}
