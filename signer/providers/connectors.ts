import type { ProviderName } from "../../protocol/catalogue.ts";
import type { Connector } from "./connector.ts";
import { exchange } from "./exchange.ts";
import { microblog } from "./microblog.ts";
import { photoSocial } from "./photoSocial.ts";
import { shortVideo } from "./shortVideo.ts";

/** The connectors of all providers. The type requires one for each provider of the catalogue. */
export const connectors: Readonly<Record<ProviderName, Connector>> = {
  microblog,
  exchange,
  photo_social: photoSocial,
  short_video: shortVideo,
};
