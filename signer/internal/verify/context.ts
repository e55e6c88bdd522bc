import type { Chain } from "../../../chain/connect.ts";
import type { ProviderName } from "../../../protocol/catalogue.ts";
import type { ProviderClients } from "../../providers/client.ts";
import type { CredentialStore } from "../credentials/store.ts";
import type { Logger } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { RedirectRules } from "./redirect.ts";
import type { Cookies } from "./session.ts";

/** What the verify page's endpoints work with. */
export interface VerifyContext {
  /** The page's own address, as configured: whatever a `Host` header says. */
  readonly pageUrl: string;
  readonly chainId: number;
  readonly chain: Chain;
  readonly store: CredentialStore;
  readonly logger: Logger;
  /** Requests a minute from one client address; 0 for no limit. */
  readonly rateLimit: number;
  readonly cookies: Cookies;
  readonly clients: ProviderClients;
  /** Names of the clients. */
  readonly offered: readonly ProviderName[];
  readonly redirectRules: RedirectRules;
  /** Seconds for one request to a provider. */
  readonly providerTimeout: number;
  /** The key derived for purpose `account`. */
  readonly accountKey: Uint8Array;
  /** Sign-ins at providers, by provider and outcome. */
  readonly signIns: Metrics["signIns"];
  /** The node's endpoint, when it is a local node: the page offers its accounts as wallets. */
  readonly developmentRpcUrl: string | undefined;
  /** Folder of the page's bundle; without it there is no page. */
  readonly bundle: string | undefined;
}
