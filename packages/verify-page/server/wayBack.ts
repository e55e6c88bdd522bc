import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { readWallClock } from "@hardhat-identity/protocol/chain/clock";

/** The content of the OAuth 2.0 `state`, for a browser that has no cookie of the sign-in. */
export interface WayBack {
  /** Unix seconds. */
  readonly startedAt: number;
  /** The first eight characters of the session's id. */
  readonly session: string;
  /** The page's query as far as there is room, without the app's `state`, which is for one browser alone. */
  readonly query: string;
}

/** The values that the seal is bound to. */
export interface SealingService {
  readonly config: { readonly chainId: number; readonly registry: string };
  readonly sessionKey: Uint8Array;
  readonly verifyUrl: string;
}

/** X takes 500 characters of state, of which 43 are random; 28 bytes are the seal's own. */
const maxBytes = Math.floor(((500 - 43 - 1) * 3) / 4) - 28;

/**
 * Above this length of the query, the sign-in's cookie, which holds the `state`, too, has no room for a way back: browsers
 * drop a cookie above 4,096 bytes.
 */
const maxQueryLength = 2_000;

/** Returns the part of a `state` behind its random part. Nobody but the service can read or make it (AES-256-GCM). */
export function sealWayBack(
  service: SealingService,
  session: { readonly id: string },
  query: string,
): string {
  const head = `${readWallClock().toString(36)} ${session.id.slice(0, 8)} `;
  const asked = new URLSearchParams(query);
  asked.delete("state");
  const address = new URLSearchParams(
    [...asked].filter(([name]) => name === "redirect_uri" || name === "wallet"),
  );
  const room = maxBytes - head.length;
  const ways = query.length > maxQueryLength ? [] : [asked, address].map(String);
  const fitting = ways.find((text) => text.length <= room) ?? "";
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(service), nonce);
  const sealed = Buffer.concat([nonce, cipher.update(head + fitting), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString("base64url");
}

/** Reads a `state` of this service; `undefined` for any other. */
export function openWayBack(service: SealingService, state: unknown): WayBack | undefined {
  const [, sealed] = typeof state === "string" ? state.split(".") : [];
  if (sealed === undefined) return undefined;
  const bytes = Buffer.from(sealed, "base64url");
  try {
    const decipher = createDecipheriv("aes-256-gcm", keyOf(service), bytes.subarray(0, 12), {
      authTagLength: 16,
    });
    decipher.setAuthTag(bytes.subarray(-16));
    const text = decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
    const [startedAt = "", session = "", query = ""] = text.split(" ");
    return { startedAt: Number.parseInt(startedAt, 36), session, query };
  } catch {
    return undefined;
  }
}

function keyOf({ config, sessionKey, verifyUrl }: SealingService): Buffer {
  const place = ["identity-way-back", config.chainId, config.registry, verifyUrl];
  return createHmac("sha256", sessionKey).update(JSON.stringify(place)).digest();
}
