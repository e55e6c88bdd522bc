import type { IncomingMessage } from "node:http";
import { isIPv6, type Socket } from "node:net";
import express from "express";
import ipaddr from "ipaddr.js";

type Trusts = (address: string | undefined, hop: number) => boolean;

const compileTrust = (trustProxy: number | readonly string[]): Trusts =>
  express().set("trust proxy", trustProxy).get("trust proxy fn");

/**
 * By which a client is told from another, by limits and queues alike: its address, or an IPv6 client's /56. Some proxies
 * write down the port, too, of which a client has thousands.
 *
 * @param trustProxy Whose `X-Forwarded-For` is believed: that of so many proxies, or of those at these addresses.
 */
export function clientReader(
  trustProxy: number | readonly string[],
): (request: Pick<IncomingMessage, "headers" | "socket">) => string {
  const trusts = compileTrust(trustProxy);
  return ({ headers, socket }) => {
    const said = String(headers["x-forwarded-for"] ?? "").split(",");
    const hops = [...said, socket.remoteAddress ?? ""].map((hop) => hop.trim()).filter((hop) => hop !== "");
    const own = hops.reverse().find((address, hop) => !trusts(address, hop)) ?? hops.at(-1) ?? "";
    return nameNetwork(own.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2"));
  };
}

/** Whose a connection is, told in the same way; undefined for a proxy, which is believed and bounds its own clients. */
export function connectionReader(
  trustProxy: number | readonly string[],
): (socket: Pick<Socket, "remoteAddress">) => string | undefined {
  const trusts = compileTrust(trustProxy);
  return ({ remoteAddress = "" }) => (trusts(remoteAddress, 0) ? undefined : nameNetwork(remoteAddress));
}

/** Bytes of an IPv6 address that tell its network: a provider gives a customer a /56 or more. */
const networkBytes = 7;

function nameNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${Buffer.from(parsed.toByteArray().slice(0, networkBytes)).toString("hex")}/56`;
}
