import { randomBytes } from "node:crypto";
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

/** Several such cookies, one for each attempt at something, so that no tab overwrites what another has begun. */
export interface SealedCookies<Content> {
  /** Returns those that can be read, the newest first. */
  readAll(request: Request): Promise<readonly Kept<Content>[]>;
  /** Adds one. Drops the oldest where a request with all of them would become too long for a proxy. */
  add(request: Request, response: Response, content: Content): Promise<void>;
  replace(response: Response, kept: Kept<Content>, content: Content): Promise<void>;
  clear(response: Response, kept: Kept<Content>): void;
  clearAll(request: Request, response: Response): void;
}

/** The content of one of several cookies. */
export interface Kept<Content> {
  readonly name: string;
  readonly content: Content;
}

interface CookieOptions<Content> {
  readonly name: string;
  readonly content: z.ZodType<Content>;
  /** Returns the current key of this cookie, 32 bytes. */
  readonly readKey: () => Promise<Uint8Array>;
  /** Whether the page is on https: then browsers accept the cookie from this host only (`__Host-`). */
  readonly secure: boolean;
  /** Seconds. */
  readonly lifetime: number;
}

export function sealedCookie<Content extends Record<string, unknown>>(
  options: CookieOptions<Content>,
): SealedCookie<Content> {
  const { name, open, write, clear } = sealer(options);
  return {
    async read(request) {
      const sealed = readCookies(request).find((cookie) => cookie.name === name);
      return sealed && (await open(sealed.value))?.content;
    },
    async write(response, content) {
      await write(response, name, content);
    },
    clear: (response) => clear(response, name),
  };
}

/** @param options.maxBytes The length of all of them together in a request. */
export function sealedCookies<Content extends Record<string, unknown>>(
  options: CookieOptions<Content> & { readonly maxBytes: number },
): SealedCookies<Content> {
  const { name, open, write, clear } = sealer(options);
  const list = (request: Request) =>
    readCookies(request).filter((cookie) => cookie.name === name || cookie.name.startsWith(`${name}-`));
  const openAll = async (request: Request) => {
    const opened = await Promise.all(
      list(request).map(async (cookie) => ({ ...cookie, ...(await open(cookie.value)) })),
    );
    return opened.sort((a, b) => (b.writtenAtMs ?? 0) - (a.writtenAtMs ?? 0));
  };
  return {
    async readAll(request) {
      const opened = await openAll(request);
      return opened.flatMap(({ name, content }) => (content === undefined ? [] : [{ name, content }]));
    },
    async add(request, response, content) {
      const others = await openAll(request);
      // The plain name first: during an upgrade, the previous release knows no other.
      const isFree = others.every((other) => other.name !== name);
      const chosen = isFree ? name : `${name}-${randomBytes(4).toString("hex")}`;
      let length = await write(response, chosen, content);
      for (const other of others) {
        length += other.name.length + other.value.length;
        if (length > options.maxBytes) clear(response, other.name);
      }
    },
    async replace(response, { name }, content) {
      await write(response, name, content);
    },
    clear: (response, { name }) => clear(response, name),
    clearAll(request, response) {
      for (const { name } of list(request)) clear(response, name);
    },
  };
}

function sealer<Content extends Record<string, unknown>>(options: CookieOptions<Content>) {
  const { content, readKey, secure, lifetime } = options;
  const attributes = { httpOnly: true, sameSite: "lax", secure, path: "/" } as const;
  return {
    name: secure ? `__Host-${options.name}` : options.name,
    async open(sealed: string): Promise<{ content: Content; writtenAtMs: number } | undefined> {
      const key = await readKey();
      try {
        const { payload } = await jwtDecrypt(sealed, key, {
          keyManagementAlgorithms: ["dir"],
          contentEncryptionAlgorithms: ["A256GCM"],
          requiredClaims: ["exp"],
        });
        return { content: content.parse(payload), writtenAtMs: Number(payload.writtenAtMs ?? 0) };
      } catch {
        return undefined;
      }
    },
    /** Returns the length of the cookie. */
    async write(response: Response, name: string, value: Content): Promise<number> {
      const sealed = await new EncryptJWT({ ...value, writtenAtMs: Date.now() })
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setExpirationTime(readWallClock() + lifetime)
        .encrypt(await readKey());
      response.cookie(name, sealed, { ...attributes, maxAge: lifetime * 1000 });
      return name.length + sealed.length;
    },
    clear: (response: Response, name: string): void => void response.clearCookie(name, attributes),
  };
}

function readCookies(request: Request): { name: string; value: string }[] {
  return (request.headers.cookie ?? "").split(/;\s*/).flatMap((pair) => {
    const [name = "", value] = pair.split("=", 2);
    return value === undefined ? [] : [{ name, value }];
  });
}
