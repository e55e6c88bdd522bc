import type { Connector } from "./connector.ts";

export const shortVideo: Connector = {
  name: "short_video",
  label: "Short video",
  authorizationEndpoint: "https://www.tiktok.com/v2/auth/authorize/",
  tokenEndpoint: "https://open.tiktokapis.com/v2/oauth/token/",
  scopes: ["user.info.basic", "user.info.stats"],
  scopeSeparator: ",",
  clientAuthentication: "client_secret_post",
  clientIdParameter: "client_key",
  calls: {
    user:
      "https://open.tiktokapis.com/v2/user/info/" +
      "?fields=open_id,follower_count,following_count,likes_count,video_count",
  },
  accountId: ["user", "data", "user", "open_id"],
  traits: {
    follower_count: ["user", "data", "user", "follower_count"],
    following_count: ["user", "data", "user", "following_count"],
    likes_count: ["user", "data", "user", "likes_count"],
    video_count: ["user", "data", "user", "video_count"],
  },
};
