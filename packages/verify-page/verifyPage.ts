import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Pages, PagesService } from "@hardhat-identity/signer/pages";
import { Router } from "express";
import { findVerifyPage } from "./bundle.ts";
import type { ConnectorCorrections } from "./connectors/connector.ts";
import type { ProviderClients } from "./connectors/registration.ts";
import { openProviders } from "./providers/openProviders.ts";
import { brandFiles } from "./server/brand.ts";
import { answerVisits } from "./server/continue.ts";
import { frontPage } from "./server/frontPage.ts";
import { verifyHeaders } from "./server/guards.ts";
import { typeface } from "./server/typeface.ts";
import { hasOwnPage, verify } from "./server/verify.ts";
import type { PageConfig } from "./settings.ts";

/**
 * Prepares the pages for people: the one where they prove an account, and the front page. The service mounts them. If
 * its `IDENTITY_VERIFY_URL` is elsewhere, there is the front page alone.
 *
 * @param options.connectors Corrects what is known of providers; counts before the module that the configuration names.
 * @param options.bundle Folder with the built page; by default the package's own.
 * @throws InvalidInputError when a connector is not valid. The pages themselves throw it at the start of a service with
 * secrets of its own when a provider is on plain http.
 *
 * @example
 * ```ts
 * const pages = await verifyPage(loadPageConfig(process.env));
 * const { url } = await startSigner(loadConfig(process.env), { pages });
 * ```
 */
export async function verifyPage(
  config: PageConfig,
  options: { connectors?: ConnectorCorrections; bundle?: string } = {},
): Promise<(service: PagesService) => Pages> {
  const providers = await openProviders(config, options.connectors);
  const bundle = options.bundle ?? (await findVerifyPage());
  return (service) => {
    if (!service.development) refusePlainHttp(config.providers);
    const page = { ...service, config: { ...service.config, ...config }, providers, bundle };
    const isOwn = hasOwnPage(service.verifyUrl);
    const router = Router({ caseSensitive: true });
    router.use(typeface(), brandFiles(config.brand));
    if (isOwn) router.use(verify(page));
    router.use(frontPage(page));
    return {
      headers: isOwn ? verifyHeaders(page) : (_request, _response, next) => next(),
      router,
      problem: answerVisits(page),
    };
  };
}

/** Refuses providers on plain http, as the sandbox is, where anybody can be anybody. */
function refusePlainHttp(clients: ProviderClients): void {
  for (const [name, { baseUrl }] of Object.entries(clients)) {
    if (!baseUrl?.startsWith("http:")) continue;
    throw new InvalidInputError(
      `IDENTITY_${name.toUpperCase()}_BASE_URL uses plain http, as the sandbox does. That needs a local node and development secrets, but the node (IDENTITY_RPC_URL) is not local or does not answer, or a secret of your own is set.`,
    );
  }
}
