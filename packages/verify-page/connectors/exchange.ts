import type { Connector } from "./connector.ts";

// No exchange publishes an API for memberships: a partner serves these paths at the base URL that the operator sets.
export const exchange: Connector = {
  name: "exchange",
  label: "Exchange",
  authorizationEndpoint: "/oauth2/auth",
  tokenEndpoint: "/oauth2/token",
  scopes: ["wallet:user:read", "membership:read"],
  clientAuthentication: "client_secret_post",
  calls: {
    user: "/v2/user",
    membership: "/v2/user/membership",
  },
  accountId: ["user", "data", "id"],
  accountName: ["user", "data", "name"],
  traits: {
    exchange_membership_active: ["membership", "data", "active"],
    exchange_membership_billed: ["membership", "data", "billed"],
  },
  errors: {
    codes: [["errors", "0", "id"], ["error", "code"], ["error"], ["errors", "0"]],
    // Coinbase's, in "Error Messages".
    reasons: {
      rate_limit_exceeded: "rate_limited",
      resource_exhausted: "rate_limited",
      internal_server_error: "provider_error",
      expired_token: "expired",
      invalid_token: "expired",
      revoked_token: "expired",
    },
  },
};
