import { createHmac, createSecretKey } from "node:crypto";

/** The settings of every rival, from environment variables. */
export const settings = {
  rpcUrl: read("RPC_URL"),
  chainId: Number(read("CHAIN_ID")),
  registry: read("REGISTRY") as `0x${string}`,
  signingKey: read("SIGNING_KEY") as `0x${string}`,
  /** 32 bytes hex: credentials are encrypted with it, and identities hashed. */
  secret: read("SECRET"),
  /** Path of an SQLite file. */
  database: read("DATABASE"),
};

function read(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set.`);
  return value;
}

/** A refusal and its HTTP status. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface RivalCondition {
  readonly name: string;
  readonly op: string;
  readonly value: string;
}

const statement = "Claim eligibility for a Verify onchain benefit.";

/** Checks what no library checks for a rival: that the message is for it and fresh. Returns the message's contract. */
export function findConsumer(message: {
  readonly chainId?: number | undefined;
  readonly statement?: string | undefined;
  readonly issuedAt?: Date | string | undefined;
  readonly resources?: readonly string[] | undefined;
}): `0x${string}` {
  if (message.chainId !== settings.chainId) throw new Refusal(400, "The message is for another chain.");
  if (message.statement !== statement) throw new Refusal(400, "The message is about something else.");
  const age = Date.now() - new Date(message.issuedAt ?? 0).getTime();
  if (!(age <= 600_000 && age >= -60_000))
    throw new Refusal(400, "The message is too old, or from the future.");
  const prefix = `eip155:${settings.chainId}:`;
  const [resource, another] = message.resources?.filter((uri) => uri.startsWith(prefix)) ?? [];
  const consumer = resource?.slice(prefix.length) ?? "";
  if (another !== undefined || !/^0x[0-9a-fA-F]{40}$/.test(consumer)) {
    throw new Refusal(400, "The message must name one contract.");
  }
  return consumer as `0x${string}`;
}

/** Refuses traits that do not meet the conditions. */
export function demandConditions(
  conditions: readonly RivalCondition[],
  traits: Readonly<Record<string, string>>,
): void {
  if (!conditions.every((condition) => holds(condition, traits[condition.name]))) {
    throw new Refusal(403, "The conditions are not met.");
  }
}

function holds({ op, value }: RivalCondition, trait: string | undefined): boolean {
  if (trait === undefined) return false;
  if (op === "eq") return trait === value;
  const [left, right] = [BigInt(trait), BigInt(value)];
  if (op === "gt") return left > right;
  if (op === "gte") return left >= right;
  if (op === "lt") return left < right;
  return op === "lte" && left <= right;
}

const identityKey = createSecretKey(Buffer.from(settings.secret.slice(2), "hex"));

/** Returns the hash of an identity at one contract, 32 bytes hex. */
export function hashIdentity(consumer: string, accountId: string): `0x${string}` {
  const hash = createHmac("sha256", identityKey).update(`${consumer.toLowerCase()}:${accountId}`);
  return `0x${hash.digest("hex")}`;
}

/** Returns the expiration of a verification issued now, unix seconds. */
export const expirationFromNow = (): number => Math.floor(Date.now() / 1000) + 300;
