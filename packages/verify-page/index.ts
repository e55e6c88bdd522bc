// `@hardhat-identity/verify-page`: the pages that a signer service serves to people, and the providers behind them.

export type { Connector, ConnectorCorrections, Keys, Place, ProviderErrors } from "./connectors/connector.ts";
export { previewBrand } from "./previewBrand.ts";
export { ProviderFailure } from "./providers/failure.ts";
export { proveAccount, startAuthorization } from "./providers/oauth.ts";
export {
  loadPageConfig,
  type PageConfig,
  pageSettings,
  pageVariables,
  readPageConfig,
  readProviderSettings,
  type TrustedApp,
} from "./settings.ts";
export { verifyPage } from "./verifyPage.ts";
