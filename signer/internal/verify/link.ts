import type { Router } from "express";
import { isSignedBy } from "../../../chain/signature.ts";
import { checksumAddress } from "../../../protocol/address.ts";
import { buildMessage } from "../../../protocol/signIn/build.ts";
import {
  linkRequest,
  type MessageAnswer,
  messageRequest,
  signOutRequest,
} from "../../../protocol/verifyPage.ts";
import { noted } from "../http/requestLog.ts";
import { ServiceError } from "../service/serviceError.ts";
import { pageAction } from "./guards.ts";
import { type Challenge, linkLifetimeSeconds, randomId, requireShown, type Visits } from "./session.ts";

/** The statement of a link message. It differs from a claim's, so that neither message can be used as the other. */
const linkStatement =
  "Sign in to prove which accounts are yours, and to manage them. This claims nothing and costs nothing.";

/**
 * Builds the EIP-4361 message with which a wallet signs in at the verify page. The service builds it again when the
 * signature arrives, so that only this text, for this page and this session, can have been signed.
 *
 * @param input.pageUrl The page's own URL, as configured.
 */
function buildLinkMessage(input: {
  pageUrl: string;
  wallet: string;
  chainId: number;
  nonce: string;
  issuedAt: Date;
}): string {
  const { pageUrl, wallet, chainId, nonce, issuedAt } = input;
  return buildMessage({
    domain: new URL(pageUrl).host,
    address: wallet,
    statement: linkStatement,
    uri: pageUrl,
    chainId,
    nonce,
    issuedAt,
    expirationTime: new Date(issuedAt.getTime() + linkLifetimeSeconds * 1000),
  });
}

/** `POST /verify/message`: returns the message that a wallet has to sign, and binds it to the browser. */
export function message({ service, cookies }: Visits): Router {
  const { verifyUrl, config } = service;
  const { chainId } = config;
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

/** `POST /verify/link`: signs a wallet in by its signature over the message that it was asked to sign. */
export function link({ service, cookies }: Visits): Router {
  const { verifyUrl, config, chain, recovery, spendGas, store } = service;
  const { chainId } = config;
  return pageAction("/verify/link", verifyUrl, linkRequest, async (asked, request, response) => {
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
    const isSigned = async (challenge: Challenge) => {
      const issuedAt = new Date(challenge.issuedAt);
      const message = buildLinkMessage({ pageUrl: verifyUrl, chainId, ...challenge, issuedAt });
      return isSignedBy(chain.open(), { message, signature: asked.signature, wallet }, spend, recovery);
    };
    // Another tab may have asked for a message since.
    const signed = await findFirst(ofWallet, ({ content }) => isSigned(content));
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
  Math.floor(new Date(issuedAt).getTime() / 1000) + linkLifetimeSeconds;

async function findFirst<Item>(
  items: readonly Item[],
  accepts: (item: Item) => Promise<boolean>,
): Promise<Item | undefined> {
  for (const item of items) if (await accepts(item)) return item;
  return undefined;
}

/** `POST /verify/sign-out`: forgets the wallet and its unfinished proof. */
export function signOut({ service, cookies }: Visits): Router {
  return pageAction(
    "/verify/sign-out",
    service.verifyUrl,
    signOutRequest,
    async ({ wallet: shown }, request, response) => {
      const session = await cookies.session.read(request);
      if (session !== undefined) requireShown(session, shown);
      cookies.session.clear(response);
      cookies.proofs.clearAll(request, response);
      response.status(204).end();
    },
  );
}
