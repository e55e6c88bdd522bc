import { buildMessage } from "../../../protocol/signIn/build.ts";

/** The sentence of a link message. It differs from a claim's, so neither can ever be taken for the other. */
export const linkStatement =
  "Sign in to prove which accounts are yours, and to manage them. This claims nothing and costs nothing.";

/** Seconds for which a link message can be used. */
export const linkLifetime = 600;

/**
 * The EIP-4361 message by which a wallet signs in at the verify page. The service makes it anew when the signature
 * comes, so that nothing but this text, of this page and this session, can have been signed.
 *
 * @param input.pageUrl The page's own address, as configured.
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
