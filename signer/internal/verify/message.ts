import type { Router } from "express";
import { checksumAddress } from "../../../protocol/address.ts";
import { type MessageAnswer, messageRequest } from "../../../protocol/verifyPage.ts";
import { endpoint } from "../http/endpoint.ts";
import { readJson } from "../http/jsonBody.ts";
import type { Service } from "../service/service.ts";
import { sameOriginOnly } from "./guards.ts";
import { buildLinkMessage } from "./linkMessage.ts";
import { createCookies, randomId } from "./session.ts";

/** `POST /verify/message`: the message that a wallet has to sign; it is bound to the browser. */
export function message(service: Service): Router {
  const { config, verifyUrl: pageUrl } = service;
  const cookies = createCookies(service);
  return endpoint("/verify/message", {
    post: [
      sameOriginOnly(pageUrl),
      async (request, response) => {
        const wallet = checksumAddress((await readJson(request, messageRequest)).wallet);
        const issuedAt = new Date();
        const challenge = { wallet, nonce: randomId(), issuedAt: issuedAt.toISOString() };
        await cookies.challenge.write(response, challenge);
        const { chainId } = config;
        response.json({
          message: buildLinkMessage({ pageUrl, chainId, ...challenge, issuedAt }),
        } satisfies MessageAnswer);
      },
    ],
  });
}
