import type { Connector } from "./connector.ts";

// cspell:ignore akrherz iembot

export const microblog: Connector = {
  name: "microblog",
  label: "Microblog",
  authorizationEndpoint: "https://x.com/i/oauth2/authorize",
  tokenEndpoint: "https://api.x.com/2/oauth2/token",
  revocationEndpoint: "https://api.x.com/2/oauth2/revoke",
  scopes: ["users.read", "tweet.read"],
  clientAuthentication: "client_secret_basic",
  // X has asked for it in the body although the header has it, too (golang/oauth2#534). RFC 6749 allows it.
  clientIdParameter: "client_id",
  calls: {
    user: "https://api.x.com/2/users/me?user.fields=public_metrics,verified,verified_type",
  },
  accountId: ["user", "data", "id"],
  accountName: ["user", "data", "username"],
  traits: {
    followers: ["user", "data", "public_metrics", "followers_count"],
    verified: ["user", "data", "verified"],
    verified_type: ["user", "data", "verified_type"],
  },
  // Problems (RFC 9457), errors beside the data of a partial answer, and errors of version 1.
  errors: {
    codes: [
      ["reason"],
      ["errors", "0", "code"],
      ["errors", "0", "type"],
      ["type"],
      ["title"],
      ["error"],
      ["errors", "0"],
    ],
    reasons: {
      "usage-capped": "quota_exceeded",
      "client-forbidden": "not_set_up",
      "client-not-enrolled": "not_set_up",
      "unsupported-authentication": "not_set_up",
      // akrherz/iembot#156
      "user-suspended": "account_blocked",
      // Codes of version 1: suspended and locked accounts.
      "63": "account_blocked",
      "64": "account_blocked",
      "326": "account_blocked",
      // The token has ended, the limit is reached, the service is over capacity or broken, the app is suspended or may not.
      "89": "expired",
      "88": "rate_limited",
      "130": "provider_error",
      "131": "provider_error",
      "416": "not_set_up",
      "453": "not_set_up",
    },
  },
};
