// The service as people would write it themselves with Express and viem.
import { createHmac, createSecretKey } from "node:crypto";
import express, { type ErrorRequestHandler } from "express";
import {
  createPublicClient,
  encodeAbiParameters,
  type Hex,
  http,
  keccak256,
  parseAbi,
  parseAbiParameters,
  verifyMessage,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { parseSiweMessage, validateSiweMessage } from "viem/siwe";
import { openCredentials } from "./credentials.ts";
import { announce, path, readSetting } from "./settings.ts";

/** From environment variables. The secret, 32 bytes hex, encrypts credentials and hashes identities. */
const settings = {
  rpcUrl: readSetting("RPC_URL"),
  chainId: Number(readSetting("CHAIN_ID")),
  registry: readSetting("REGISTRY") as Hex,
  signingKey: readSetting("SIGNING_KEY") as Hex,
  secret: readSetting("SECRET"),
  database: readSetting("DATABASE"),
};

/** A refusal and its HTTP status. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const { chainId } = settings;
const client = createPublicClient({ transport: http(settings.rpcUrl, { batch: true }) });
const account = privateKeyToAccount(settings.signingKey);
const credentials = openCredentials(settings.database, settings.secret);
const identityKey = createSecretKey(Buffer.from(settings.secret.slice(2), "hex"));
const statement = "Claim eligibility for a Verify onchain benefit.";

/** The EIP-712 domain of verifications. */
const domain = {
  name: "SignerRegistry",
  version: "1",
  chainId,
  verifyingContract: settings.registry,
} as const;
const types = {
  Verification: [
    { name: "user", type: "address" },
    { name: "identityHash", type: "bytes32" },
    { name: "policyHash", type: "bytes32" },
    { name: "expiration", type: "uint40" },
  ],
};
const abi = parseAbi([
  "struct Condition { string name; string op; string value; }",
  "function provider() view returns (string)",
  "function conditions() view returns (Condition[])",
  "function cutoffBlock() view returns (uint256)",
]);
const policyParameters = parseAbiParameters([
  "uint256, address, string, Condition[]",
  "struct Condition { string name; string op; string value; }",
]);

const readPolicy = keptForASecond(async (consumer) => {
  const contract = { address: consumer as Hex, abi };
  const [provider, conditions, cutoff] = await Promise.all([
    client.readContract({ ...contract, functionName: "provider" }),
    client.readContract({ ...contract, functionName: "conditions" }),
    client.readContract({ ...contract, functionName: "cutoffBlock" }),
  ]);
  const encoded = encodeAbiParameters(policyParameters, [
    BigInt(chainId),
    contract.address,
    provider,
    conditions,
  ]);
  const since = cutoff === 0n ? 0n : (await client.getBlock({ blockNumber: cutoff })).timestamp;
  return { provider, conditions, since, policyHash: keccak256(encoded) };
});

serveExpress(async ({ message, signature }) => {
  const fields = parseSiweMessage(message);
  const { address } = fields;
  if (address === undefined || !validateSiweMessage({ message: fields })) throw new Refusal(400, "Message.");
  const consumer = findConsumer(fields);
  const isSigned = await verifyMessage({ address, message, signature: signature as Hex });
  if (!isSigned) throw new Refusal(400, "Signature.");
  const { provider, conditions, since, policyHash } = await readPolicy(consumer);
  const credential = credentials.find(address, provider);
  if (credential === undefined) throw new Refusal(404, "There is no credential.");
  if (BigInt(credential.authenticatedAt) < since) throw new Refusal(403, "It is too old.");
  if (!conditions.every((condition) => holds(condition, credential.traits[condition.name])))
    throw new Refusal(403, "The conditions are not met.");
  const identity = `${consumer.toLowerCase()}:${credential.accountId}`;
  const identityHash: Hex = `0x${createHmac("sha256", identityKey).update(identity).digest("hex")}`;
  const expiration = Math.floor(Date.now() / 1000) + 300;
  const signed = await account.signTypedData({
    domain,
    types,
    primaryType: "Verification",
    message: { user: address, identityHash, policyHash, expiration },
  });
  return { identityHash, expiration, signature: signed };
});

/** Checks what viem does not: that the message is for this service and fresh. Returns the message's contract. */
function findConsumer(message: ReturnType<typeof parseSiweMessage>): Hex {
  if (message.chainId !== chainId) throw new Refusal(400, "The message is for another chain.");
  if (message.statement !== statement) throw new Refusal(400, "The message is about something else.");
  const age = Date.now() - (message.issuedAt?.getTime() ?? 0);
  if (!(age <= 600_000 && age >= -60_000))
    throw new Refusal(400, "The message is too old, or from the future.");
  const prefix = `eip155:${chainId}:`;
  const [resource, another] = message.resources?.filter((uri) => uri.startsWith(prefix)) ?? [];
  const consumer = resource?.slice(prefix.length) ?? "";
  if (another !== undefined || !/^0x[0-9a-fA-F]{40}$/.test(consumer)) {
    throw new Refusal(400, "The message must name one contract.");
  }
  return consumer as Hex;
}

function holds({ op, value }: { op: string; value: string }, trait: string | undefined): boolean {
  if (trait === undefined) return false;
  if (op === "eq") return trait === value;
  const [left, right] = [BigInt(trait), BigInt(value)];
  if (op === "gt") return left > right;
  if (op === "gte") return left >= right;
  if (op === "lt") return left < right;
  return op === "lte" && left <= right;
}

/** Starts a server that passes signed messages to a function, and prints its URL. */
function serveExpress(answer: (request: { message: string; signature: string }) => Promise<object>): void {
  const app = express();
  app.post(path, express.json({ limit: "16kb" }), async (request, response) => {
    const { message, signature } = request.body ?? {};
    if (typeof message !== "string" || typeof signature !== "string") throw new Refusal(400, "Two texts.");
    response.json(await answer({ message, signature }));
  });
  const refuse: ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(error instanceof Refusal ? error.status : 500).json({ error: String(error) });
  };
  app.use(refuse);
  const server = app.listen(0, "127.0.0.1", () => announce(server));
}

/** Reads each key at most once a second. A failed read is not kept. */
function keptForASecond<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const kept = new Map<string, { value: Promise<T>; since: number }>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined && Date.now() - known.since < 1_000) return known.value;
    const value = read(key);
    kept.set(key, { value, since: Date.now() });
    value.catch(() => kept.delete(key));
    return value;
  };
}
