import { checksumAddress } from "@hardhat-identity/protocol/address";
import type { SpendGas } from "@hardhat-identity/protocol/chain/boundedCalls";
import type { Chain } from "@hardhat-identity/protocol/chain/connect";
import { isSignedBy, type Recovery } from "@hardhat-identity/protocol/chain/signature";
import { buildMessage } from "@hardhat-identity/protocol/signIn/build";
import { type CredentialStore, noted, ServiceError } from "@hardhat-identity/signer/pages";
import type { Router } from "express";
import { linkRequest, type MessageAnswer, messageRequest, signOutRequest } from "../messages.ts";
import { pageAction } from "./guards.ts";
import type { Kept } from "./sealedCookie.ts";
import {
  type Challenge,
  type EndpointParts,
  linkLifetimeSeconds,
  randomId,
  readSession,
  requireShown,
} from "./session.ts";

/** The statement of a link message. It differs from a claim's, so that neither message can be used as the other. */
const linkStatement =
  "Sign in to prove which accounts are yours, and to manage them. This claims nothing and costs nothing.";

/** The values in the message. */
export interface MessageService {
  readonly verifyUrl: string;
  readonly config: { readonly chainId: number };
}

/** The part of the service that signs people in by a message. */
export interface LinkingService extends MessageService {
  readonly chain: Chain;
  readonly recovery: Recovery;
  readonly store: Pick<CredentialStore, "spendNonce">;
  spendGas(client: string): SpendGas;
}

/**
 * Builds the EIP-4361 message with which a wallet signs in at the verify page. The service builds it again when the
 * signature arrives, so that only this text, for this page and this session, can have been signed.
 */
const buildLinkMessage = (
  { verifyUrl, config }: MessageService,
  { wallet, nonce, issuedAt }: Challenge,
): string =>
  buildMessage({
    domain: new URL(verifyUrl).host,
    address: wallet,
    statement: linkStatement,
    uri: verifyUrl,
    chainId: config.chainId,
    nonce,
    issuedAt: new Date(issuedAt),
    expirationTime: new Date(Date.parse(issuedAt) + linkLifetimeSeconds * 1000),
  });

/** `POST /verify/message`: returns the message that a wallet has to sign, and binds it to the browser. */
export function message({ service, cookies }: EndpointParts<MessageService>): Router {
  return pageAction(service, "message", messageRequest, async (asked, request, response) => {
    const wallet = checksumAddress(asked.wallet);
    const challenge = { wallet, nonce: randomId(), issuedAt: new Date().toISOString() };
    const earlier = await cookies.challenges.readAll(request);
    await cookies.challenges.add(request, response, challenge);
    const message = buildLinkMessage(service, challenge);
    response.json({ message, keepsCookies: earlier.length > 0 } satisfies MessageAnswer);
  });
}

/** `POST /verify/link`: signs a wallet in by its signature over the message that it was asked to sign. */
export function link({ service, cookies }: EndpointParts<LinkingService>): Router {
  const { chain, recovery, spendGas, store } = service;
  return pageAction(service, "link", linkRequest, async (asked, request, response) => {
    const waiting = (await cookies.challenges.readAll(request)).filter(
      ({ content }) => expiryOf(content) * 1000 > Date.now(),
    );
    const [newest] = waiting;
    if (newest === undefined) {
      throw new ServiceError("not_signed_in", "No message is waiting for a signature; ask for a new one.");
    }
    const wallet = checksumAddress(asked.wallet);
    const ofWallet = waiting.filter(({ content }) => content.wallet === wallet);
    if (ofWallet.length === 0) requireShown(newest.content, wallet);
    const spend = spendGas(noted(response).client);
    const isSigned = (challenge: Challenge) => {
      const claimed = { message: buildLinkMessage(service, challenge), signature: asked.signature, wallet };
      return isSignedBy(chain.open(), claimed, recovery, spend);
    };
    let signed: Kept<Challenge> | undefined;
    // Another tab may have asked for a message since.
    for (const each of ofWallet) {
      if (!(await isSigned(each.content))) continue;
      signed = each;
      break;
    }
    if (signed === undefined) {
      throw new ServiceError("invalid_argument", "The signature is not the wallet's over this message.");
    }
    if (!(await store.spendNonce(`link:${signed.content.nonce}`, expiryOf(signed.content)))) {
      throw new ServiceError("not_signed_in", "This message has been used; ask for a new one.");
    }
    // A new id, so that nothing started before, by anybody, continues as this wallet.
    await cookies.session.write(response, { id: randomId(), wallet });
    cookies.challenges.clear(response, signed);
    cookies.proofs.clearAll(request, response);
    response.status(204).end();
  });
}

/** Unix seconds. */
const expiryOf = ({ issuedAt }: Challenge): number =>
  Math.floor(Date.parse(issuedAt) / 1000) + linkLifetimeSeconds;

/** `POST /verify/sign-out`: forgets the wallet and its unfinished proof. */
export function signOut({ service, cookies }: EndpointParts<Pick<MessageService, "verifyUrl">>): Router {
  return pageAction(service, "sign-out", signOutRequest, async ({ wallet: shown }, request, response) => {
    const session = await readSession(cookies, request);
    if (session !== undefined) requireShown(session, shown);
    cookies.session.clearAll(request, response);
    cookies.proofs.clearAll(request, response);
    response.status(204).end();
  });
}
