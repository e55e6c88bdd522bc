import type { Connectors } from "./connector.ts";
import { exchange } from "./exchange.ts";
import { microblog } from "./microblog.ts";
import { photoSocial } from "./photoSocial.ts";
import { shortVideo } from "./shortVideo.ts";

/** The built-in connectors. The type requires one for each provider of the catalogue. */
export const connectors: Connectors = {
  microblog,
  exchange,
  photo_social: photoSocial,
  short_video: shortVideo,
};
