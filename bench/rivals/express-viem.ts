// The service as people would write it themselves with Express and viem.
import type { AddressInfo } from "node:net";
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
import {
  demandConditions,
  expirationFromNow,
  findConsumer,
  hashIdentity,
  Refusal,
  settings,
} from "./rules.ts";

const { chainId } = settings;
const client = createPublicClient({ transport: http(settings.rpcUrl, { batch: true }) });
const account = privateKeyToAccount(settings.signingKey);
const credentials = openCredentials(settings.database, settings.secret);

/** The EIP-712 domain of verifications. */
const domain = {
  ...{ name: "SignerRegistry", version: "1", chainId: settings.chainId },
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
  demandConditions(conditions, credential.traits);
  const identityHash = hashIdentity(consumer, credential.accountId);
  const expiration = expirationFromNow();
  const signed = await account.signTypedData({
    domain,
    types,
    primaryType: "Verification",
    message: { user: address, identityHash, policyHash, expiration },
  });
  return { identityHash, expiration, signature: signed };
});

/** Starts a server that passes signed messages to a function, and prints its URL. */
function serveExpress(answer: (request: { message: string; signature: string }) => Promise<object>): void {
  const app = express();
  app.post("/v1/onchain_verifications", express.json({ limit: "16kb" }), async (request, response) => {
    const { message, signature } = request.body ?? {};
    if (typeof message !== "string" || typeof signature !== "string") throw new Refusal(400, "Two texts.");
    response.json(await answer({ message, signature }));
  });
  const refuse: ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(error instanceof Refusal ? error.status : 500).json({ error: String(error) });
  };
  app.use(refuse);
  const server = app.listen(0, "127.0.0.1", () => {
    console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
  });
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
