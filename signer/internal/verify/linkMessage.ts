import { buildMessage } from "../../../protocol/signIn/build.ts";

/** The statement of a link message. It differs from a claim's, so that neither message can be used as the other. */
export const linkStatement =
  "Sign in to prove which accounts are yours, and to manage them. This claims nothing and costs nothing.";

/** Seconds for which a link message is valid. */
export const linkLifetime = 600;

/**
 * Builds the EIP-4361 message with which a wallet signs in at the verify page. The service builds it again when the
 * signature arrives, so that only this text, for this page and this session, can have been signed.
 *
 * @param input.pageUrl The page's own URL, as configured.
 */
export function buildLinkMessage(input: {
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
    expirationTime: new Date(issuedAt.getTime() + linkLifetime * 1000),
  });
}
