import { randomBytes } from "node:crypto";
import { readWallClock } from "@hardhat-identity/protocol/chain/clock";
import type { Request, Response } from "express";
import type { z } from "zod";

/** The content of one of several cookies. */
export interface Kept<Content> {
  readonly name: string;
  readonly content: Content;
}

/**
 * Cookies that only the service can read or make: their content is encrypted and authenticated (JWE, AES-256-GCM) and
 * expires. No replica stores any of it. There is one for each attempt at something, so that no tab overwrites what
 * another has begun; a session has one alone.
 */
export function sealedCookies<Content extends Record<string, unknown>>(options: {
  readonly name: string;
  readonly schema: z.ZodType<Content>;
  /** Returns the key of these cookies for a request, 32 bytes. */
  readonly readKey: (request: Request) => Promise<Uint8Array>;
  /** Whether the page is on https: then browsers accept the cookies from this host only (`__Host-`). */
  readonly secure: boolean;
  /** Seconds. */
  readonly lifetime: number;
  /** The length of all of them together in a request. */
  readonly maxBytes: number;
  /** How many are opened for a request: more than a browser keeps, as anybody can send hundreds. */
  readonly atMost: number;
}) {
  const { schema, readKey, secure, lifetime, maxBytes, atMost } = options;
  const attributes = { httpOnly: true, sameSite: "lax", secure, path: "/" } as const;
  const plainName = secure ? `__Host-${options.name}` : options.name;
  // Browsers send older cookies first (RFC 6265, section 5.4).
  const list = (request: Request) =>
    readCookies(request)
      .filter(({ name }) => name === plainName || name.startsWith(`${plainName}-`))
      .slice(-atMost);

  // Loaded with the first cookie: only a service that serves the page has the package, and a start does not need it.
  const loadJose = () => import("jose");

  async function open(
    sealed: string,
    key: Uint8Array,
  ): Promise<{ content: Content; writtenAtMs: number } | undefined> {
    try {
      const { jwtDecrypt } = await loadJose();
      const { payload } = await jwtDecrypt(sealed, key, {
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
        requiredClaims: ["exp"],
      });
      return { content: schema.parse(payload), writtenAtMs: Number(payload.writtenAtMs ?? 0) };
    } catch {
      return undefined;
    }
  }

  async function openAll(request: Request) {
    const listed = list(request);
    if (listed.length === 0) return [];
    const key = await readKey(request);
    const opened = await Promise.all(
      listed.map(async (cookie) => ({ ...cookie, ...(await open(cookie.value, key)) })),
    );
    return opened.sort((a, b) => (b.writtenAtMs ?? 0) - (a.writtenAtMs ?? 0));
  }

  /** Writes the one with a name, or the one that is alone, in place of its former content. Returns its length. */
  async function write(response: Response, content: Content, name = plainName): Promise<number> {
    const { EncryptJWT } = await loadJose();
    const sealed = await new EncryptJWT({ ...content, writtenAtMs: Date.now() })
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .setExpirationTime(readWallClock() + lifetime)
      .encrypt(await readKey(response.req));
    response.cookie(name, sealed, { ...attributes, maxAge: lifetime * 1000 });
    return name.length + sealed.length;
  }

  const clear = (response: Response, { name }: { name: string }) =>
    void response.clearCookie(name, attributes);

  return {
    /** Returns those that have not expired and that nobody else made, the newest first. */
    async readAll(request: Request): Promise<readonly Kept<Content>[]> {
      const opened = await openAll(request);
      return opened.flatMap(({ name, content }) => (content === undefined ? [] : [{ name, content }]));
    },
    /**
     * Adds one, under a name that no tab chooses that begins at the same moment. Drops the oldest where a request with all
     * of them would become too long for a proxy.
     */
    async add(request: Request, response: Response, content: Content): Promise<void> {
      const others = await openAll(request);
      let length = await write(response, content, `${plainName}-${randomBytes(4).toString("hex")}`);
      for (const other of others) {
        length += other.name.length + other.value.length;
        if (length > maxBytes) clear(response, other);
      }
    },
    write,
    clear,
    clearAll(request: Request, response: Response): void {
      for (const cookie of list(request)) clear(response, cookie);
    },
  };
}

function readCookies(request: Request): { name: string; value: string }[] {
  return (request.headers.cookie ?? "").split(/;\s*/).flatMap((pair) => {
    const [name = "", value] = pair.split("=", 2);
    return value === undefined ? [] : [{ name, value }];
  });
}
