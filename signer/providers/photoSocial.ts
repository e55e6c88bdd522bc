import type { Connector } from "./connector.ts";

export const photoSocial: Connector = {
  name: "photo_social",
  label: "Photo social",
  authorizationEndpoint: "https://www.instagram.com/oauth/authorize",
  tokenEndpoint: "https://api.instagram.com/oauth/access_token",
  scopes: ["instagram_business_basic"],
  clientAuthentication: "client_secret_post",
  tokenType: "bearer",
  calls: {
    me: "https://graph.instagram.com/v23.0/me?fields=user_id,username,followers_count",
  },
  // Not `id`, which differs from app to app.
  accountId: ["me", "user_id"],
  traits: {
    followers_count: ["me", "followers_count"],
    username: ["me", "username"],
  },
};
