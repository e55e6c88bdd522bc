// The service as one writes it with Express and viem.
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
import { domain, keptForASecond, serveExpress, types } from "./express.ts";
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
