import type { Request } from "express";
import { ipKeyGenerator } from "express-rate-limit";

/**
 * By which a client is told from another, by limits and queues alike: its address, or an IPv6 client's /56. Some proxies
 * write down the port, too, of which a client has thousands.
 */
export const clientAddress = ({ ip = "" }: Request): string =>
  ipKeyGenerator(ip.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2"));
