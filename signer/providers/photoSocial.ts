import type { Connector } from "./connector.ts";

export const photoSocial: Connector = {
  name: "photo_social",
  label: "Photo social",
  authorizationEndpoint: "https://www.instagram.com/oauth/authorize",
  // Otherwise Instagram takes the account that the browser is signed in with.
  authorizationParameters: { force_reauth: "true", enable_fb_login: "false" },
  tokenEndpoint: "https://api.instagram.com/oauth/access_token",
  scopes: ["instagram_business_basic"],
  grantedScopes: "permissions",
  clientAuthentication: "client_secret_post",
  calls: {
    me: "https://graph.instagram.com/v23.0/me?fields=user_id,username,followers_count",
  },
  // Meta documents both answers with this envelope; most integrations see none.
  envelope: ["data", "0"],
  // Not `id`, which differs from app to app.
  accountId: ["me", "user_id"],
  traits: {
    followers_count: ["me", "followers_count"],
    username: ["me", "username"],
  },
  errors: {
    codes: [["error", "error_subcode"], ["error", "code"], ["error_type"], ["error"]],
    // Codes of Meta's Graph API.
    reasons: {
      "1": "provider_error",
      "2": "provider_error",
      "3": "not_set_up",
      "10": "not_set_up",
      // Every call of an app without Advanced Access, although it gets tokens.
      "100": "not_set_up",
      "4": "rate_limited",
      "17": "rate_limited",
      "32": "rate_limited",
      "613": "rate_limited",
      "459": "account_blocked",
      "464": "account_blocked",
    },
  },
};
