import type { Request, Response } from "express";
import { EncryptJWT, jwtDecrypt } from "jose";
import type { z } from "zod";
import { readWallClock } from "../../../chain/clock.ts";

/**
 * A cookie that only the service can read or make: its content is encrypted and authenticated (JWE, AES-256-GCM) and
 * expires. No replica stores any of it.
 */
export interface SealedCookie<Content> {
  /** Returns `undefined` when there is no cookie, it has expired, or somebody else made it. */
  read(request: Request): Promise<Content | undefined>;
  write(response: Response, content: Content): Promise<void>;
  clear(response: Response): void;
}

/**
 * @param options.readKey Returns the current key of this cookie, 32 bytes.
 * @param options.secure Whether the page is on https: then browsers accept the cookie from this host only (`__Host-`).
 * @param options.lifetime Seconds.
 */
export function sealedCookie<Content extends Record<string, unknown>>(options: {
  name: string;
  content: z.ZodType<Content>;
  readKey: () => Promise<Uint8Array>;
  secure: boolean;
  lifetime: number;
}): SealedCookie<Content> {
  const { content, readKey, secure, lifetime } = options;
  const name = secure ? `__Host-${options.name}` : options.name;
  const attributes = { httpOnly: true, sameSite: "lax", secure, path: "/" } as const;
  return {
    async read(request) {
      const sealed = readCookie(request, name);
      if (sealed === undefined) return undefined;
      const key = await readKey();
      try {
        const { payload } = await jwtDecrypt(sealed, key, {
          keyManagementAlgorithms: ["dir"],
          contentEncryptionAlgorithms: ["A256GCM"],
          requiredClaims: ["exp"],
        });
        return content.parse(payload);
      } catch {
        return undefined;
      }
    },
    async write(response, value) {
      const sealed = await new EncryptJWT(value)
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setExpirationTime(readWallClock() + lifetime)
        .encrypt(await readKey());
      response.cookie(name, sealed, { ...attributes, maxAge: lifetime * 1000 });
    },
    clear(response) {
      response.clearCookie(name, attributes);
    },
  };
}

function readCookie(request: Request, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? "").split(/;\s*/);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
