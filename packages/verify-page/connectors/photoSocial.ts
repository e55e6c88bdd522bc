import type { Connector } from "./connector.ts";

/** Codes of Meta's limits: of the app, a person, a page, custom ones, and "Business Use Case" limits. */
const limits = ["4", "17", "32", "341", "368", "613"];
for (let code = 80_000; code <= 80_014; code++) limits.push(String(code));

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
    codes: [["error", "code"], ["error_type"], ["meta", "error_type"], ["error"]],
    subcode: ["error", "error_subcode"],
    // Codes of Meta's Graph API ("Handling Errors", "Rate Limits"), and types of Instagram's own (python-instagram#34).
    reasons: {
      ...Object.fromEntries(limits.map((code) => [code, "rate_limited" as const])),
      "-1": "provider_error",
      "1": "provider_error",
      "2": "provider_error",
      "3": "not_set_up",
      "10": "not_set_up",
      // Every call of an app without Advanced Access, although it gets tokens.
      "100": "not_set_up",
      // "API access blocked."
      "200": "not_set_up",
      "102": "expired",
      "190": "expired",
      // Logged out by Meta until the person confirms that it is them.
      "102/459": "account_blocked",
      "190/459": "account_blocked",
      "102/464": "account_blocked",
      "190/464": "account_blocked",
      OAuthRateLimitException: "rate_limited",
      rate_limit_error: "rate_limited",
      OAuthAccessTokenException: "expired",
      OAuthForbiddenException: "not_set_up",
      OAuthPermissionsException: "partly_denied",
    },
  },
};
