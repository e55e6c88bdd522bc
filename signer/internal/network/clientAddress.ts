import type { IncomingMessage } from "node:http";
import { isIPv6, type Socket } from "node:net";
import express from "express";
import ipaddr from "ipaddr.js";

type Trusts = (address: string | undefined, hop: number) => boolean;

const compileTrust = (trustProxy: number | readonly string[]): Trusts =>
  express().set("trust proxy", trustProxy).get("trust proxy fn");

/**
 * Returns a function that names the client of a request, for limits and queues: its address, or the /56 of an IPv6
 * client. An IPv4 client is the same behind a NAT64. Some proxies add the port, which is left out: a client has thousands
 * of them.
 *
 * @param trustProxy The proxies whose `X-Forwarded-For` is trusted: their number, or their addresses.
 */
export function clientReader(
  trustProxy: number | readonly string[],
): (request: Pick<IncomingMessage, "headers" | "socket">) => string {
  const trusts = compileTrust(trustProxy);
  return ({ headers, socket }) => {
    let own = socket.remoteAddress ?? "";
    let said = String(headers["x-forwarded-for"] ?? "");
    // Parses from the right and stops early: a client can send a header with a thousand entries.
    for (let hop = 0; trusts(own, hop) && said !== ""; ) {
      const comma = said.lastIndexOf(",");
      const entry = said.slice(comma + 1).trim();
      said = said.slice(0, Math.max(comma, 0));
      if (entry === "") continue;
      own = entry.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2");
      hop++;
    }
    return nameNetwork(own);
  };
}

/**
 * Returns a function that names the client of a connection in the same way. It returns undefined for a trusted proxy,
 * which limits its own clients.
 */
export function connectionReader(
  trustProxy: number | readonly string[],
): (socket: Pick<Socket, "remoteAddress">) => string | undefined {
  const trusts = compileTrust(trustProxy);
  return ({ remoteAddress = "" }) => (trusts(remoteAddress, 0) ? undefined : nameNetwork(remoteAddress));
}

/**
 * Returns a function that says whether a request came through a proxy that is not trusted: it names another client, and its
 * connection is one of a private network or of this machine, as the clients of a public service have not.
 */
export function strangeProxyFinder(
  trustProxy: number | readonly string[],
): (request: Pick<IncomingMessage, "headers" | "socket">) => boolean {
  const trusts = compileTrust(trustProxy);
  const isNear = compileTrust(["loopback", "linklocal", "uniquelocal"]);
  return ({ headers, socket: { remoteAddress } }) =>
    headers["x-forwarded-for"] !== undefined && isNear(remoteAddress, 0) && !trusts(remoteAddress, 0);
}

/** The IPv6 addresses by which stateless translators (NAT64) name IPv4 clients; RFC 6052, section 2.1. */
const translated = ipaddr.IPv6.parse("64:ff9b::");

/** Bytes of an IPv6 address that identify its network: internet providers give each customer a /56 or more. */
const networkBytes = 7;

function nameNetwork(address: string): string {
  // A link-local address ends with its interface, such as `%br-lan`.
  const [plain = ""] = address.split("%");
  if (!isIPv6(plain)) return address;
  // A URL's host is hexadecimal only. Of addresses that end like IPv4, ipaddr.js refuses most.
  const parsed = ipaddr.IPv6.parse(new URL(`http://[${plain}]`).hostname.slice(1, -1));
  const bytes = parsed.toByteArray();
  if (parsed.isIPv4MappedAddress() || parsed.match(translated, 96)) return bytes.slice(12).join(".");
  return `${Buffer.from(bytes.slice(0, networkBytes)).toString("hex")}/56`;
}
