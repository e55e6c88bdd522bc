import type { Request } from "express";
import { ipKeyGenerator } from "express-rate-limit";

/** By which a client is told from another, as the rate limit does it: its address, or an IPv6 client's /56. */
export const clientAddress = ({ ip = "" }: Request): string => ipKeyGenerator(ip);
