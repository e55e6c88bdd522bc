import type { Router } from "express";
import { z } from "zod";
import { isSignedBy } from "../../../chain/signature.ts";
import { checksumAddress, hasValidCasing, isAddress } from "../../../protocol/address.ts";
import { endpoint } from "../http/endpoint.ts";
import { ServiceError } from "../serviceError.ts";
import type { VerifyContext } from "./context.ts";
import { jsonBody, readBody, sameOriginOnly } from "./guards.ts";
import { buildLinkMessage, linkLifetime } from "./linkMessage.ts";
import { randomId, type Session } from "./session.ts";

const messageBody = z.object({
  wallet: z.string().refine((text) => isAddress(text) && hasValidCasing(text)),
});
const linkBody = z.object({ signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2})+$/) });

/** `POST /verify/message`: the message that a wallet has to sign; it is bound to the session. */
export function message(context: VerifyContext): Router {
  const { cookies, pageUrl, chainId } = context;
  return endpoint("/verify/message", {
    post: [
      sameOriginOnly(pageUrl),
      ...jsonBody,
      async (request, response) => {
        const wallet = checksumAddress(readBody(request, messageBody).wallet);
        const session: Session = (await cookies.session.read(request)) ?? { id: randomId() };
        const issuedAt = new Date();
        const challenge = { wallet, nonce: randomId(), issuedAt: issuedAt.toISOString() };
        await cookies.session.write(response, { ...session, challenge });
        response.json({ message: buildLinkMessage({ pageUrl, chainId, ...challenge, issuedAt }) });
      },
    ],
  });
}

/** `POST /verify/link`: the wallet's signature over that message signs it in. */
export function link(context: VerifyContext): Router {
  const { cookies, pageUrl, chainId, chain, store } = context;
  return endpoint("/verify/link", {
    post: [
      sameOriginOnly(pageUrl),
      ...jsonBody,
      async (request, response) => {
        const { signature } = readBody(request, linkBody);
        const challenge = (await cookies.session.read(request))?.challenge;
        const issuedAt = new Date(challenge?.issuedAt ?? 0);
        const expiresAt = Math.floor(issuedAt.getTime() / 1000) + linkLifetime;
        if (challenge === undefined || expiresAt * 1000 < Date.now()) {
          throw new ServiceError("not_signed_in", "No message waits for a signature; ask for a new one.");
        }
        const { wallet } = challenge;
        const signed = buildLinkMessage({ pageUrl, chainId, ...challenge, issuedAt });
        if (!(await isSignedBy(chain.open(), { message: signed, signature, wallet }))) {
          throw new ServiceError("invalid_argument", "The signature is not the wallet's over this message.");
        }
        if (!(await store.spendNonce(`link:${challenge.nonce}`, expiresAt))) {
          throw new ServiceError("not_signed_in", "This message has been used; ask for a new one.");
        }
        // A new id: nothing that was started before, by whomever, goes on as this wallet.
        await cookies.session.write(response, { id: randomId(), wallet });
        cookies.proof.clear(response);
        response.status(204).end();
      },
    ],
  });
}

/** `POST /verify/sign-out` */
export function signOut({ cookies, pageUrl }: VerifyContext): Router {
  return endpoint("/verify/sign-out", {
    post: [
      sameOriginOnly(pageUrl),
      (_request, response) => {
        cookies.session.clear(response);
        cookies.proof.clear(response);
        response.status(204).end();
      },
    ],
  });
}
