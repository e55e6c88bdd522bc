import type { Connector } from "./connector.ts";

export const microblog: Connector = {
  name: "microblog",
  label: "Microblog",
  authorizationEndpoint: "https://x.com/i/oauth2/authorize",
  tokenEndpoint: "https://api.x.com/2/oauth2/token",
  scopes: ["users.read", "tweet.read"],
  clientAuthentication: "client_secret_basic",
  calls: {
    user: "https://api.x.com/2/users/me?user.fields=public_metrics,verified,verified_type",
  },
  accountId: ["user", "data", "id"],
  traits: {
    followers: ["user", "data", "public_metrics", "followers_count"],
    verified: ["user", "data", "verified"],
    verified_type: ["user", "data", "verified_type"],
  },
};
