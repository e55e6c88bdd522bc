import type { Connector } from "./connector.ts";

// cspell:ignore brightbean brightbeanxyz
export const shortVideo: Connector = {
  name: "short_video",
  label: "Short video",
  authorizationEndpoint: "https://www.tiktok.com/v2/auth/authorize/",
  // Otherwise TikTok sends a person who has agreed before straight back, without a choice of the account.
  authorizationParameters: { disable_auto_auth: "1" },
  tokenEndpoint: "https://open.tiktokapis.com/v2/oauth/token/",
  // Besides the token, it ends TikTok's refresh token, which would live for half a year.
  revocationEndpoint: "https://open.tiktokapis.com/v2/oauth/revoke/",
  scopes: ["user.info.basic", "user.info.stats"],
  scopeSeparator: ",",
  // "Login Kit for Desktop" documents hex, "Login Kit for Web" no PKCE at all. Web clients that sent none were asked for
  // a challenge (better-auth/better-auth#3114), base64url was refused (Lg0gs/react-native-tiktok#38), and integrations
  // on the web run with hex (n8n-io/n8n#15160).
  codeChallenge: "hex",
  clientAuthentication: "client_secret_post",
  clientIdParameter: "client_key",
  calls: {
    user:
      "https://open.tiktokapis.com/v2/user/info/" +
      "?fields=union_id,display_name,follower_count,following_count,likes_count,video_count",
  },
  // Not `open_id`, which differs from client key to client key: this is one for all apps of a developer. An answer without it
  // is refused (SocialiteProviders/Providers#1073 met some), as the same person would count again by the other.
  accountId: ["user", "data", "user", "union_id"],
  accountName: ["user", "data", "user", "display_name"],
  traits: {
    follower_count: ["user", "data", "user", "follower_count"],
    following_count: ["user", "data", "user", "following_count"],
    likes_count: ["user", "data", "user", "likes_count"],
    video_count: ["user", "data", "user", "video_count"],
  },
  errors: {
    // The last is of the first version's endpoints, with status 200: 0 for none.
    codes: [["error", "code"], ["error"], ["data", "error_code"]],
    success: "ok",
    reasons: {
      // The code has ended.
      "10007": "expired",
      scope_not_authorized: "partly_denied",
      scope_permission_missed: "partly_denied",
      rate_limit_exceeded: "rate_limited",
      internal_error: "provider_error",
    },
  },
};
