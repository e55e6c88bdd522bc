import type { Router } from "express";
import { isSignedBy } from "../../../chain/signature.ts";
import { checksumAddress } from "../../../protocol/address.ts";
import { linkRequest } from "../../../protocol/verifyPage.ts";
import { noted } from "../http/requestNotes.ts";
import type { Service } from "../service/service.ts";
import { ServiceError } from "../service/serviceError.ts";
import { buildLinkMessage, linkLifetime } from "./linkMessage.ts";
import { pageAction } from "./pageAction.ts";
import { type Challenge, demandShown, randomId, type VisitParts } from "./session.ts";

/** `POST /verify/link`: signs a wallet in by its signature over the message that it was asked to sign. */
export function link(
  parts: VisitParts & Pick<Service, "chain" | "recovery" | "spendGas" | "store"> & { chainId: number },
): Router {
  const { cookies, verifyUrl, chainId, chain, recovery, spendGas, store } = parts;
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
    if (ofWallet.length === 0) demandShown(newest.content, wallet);
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
  Math.floor(new Date(issuedAt).getTime() / 1000) + linkLifetime;

async function findFirst<Item>(
  items: readonly Item[],
  accepts: (item: Item) => Promise<boolean>,
): Promise<Item | undefined> {
  for (const item of items) if (await accepts(item)) return item;
  return undefined;
}
