// The service as one writes it with Express, ethers and siwe.
import { AbiCoder, Contract, JsonRpcProvider, keccak256, Wallet } from "ethers";
import { SiweMessage } from "siwe";
import { openCredentials } from "./credentials.ts";
import { domain, keptForASecond, serveExpress, types } from "./express.ts";
import {
  demandConditions,
  expirationFromNow,
  findConsumer,
  hashIdentity,
  Refusal,
  type RivalCondition,
  settings,
} from "./rules.ts";

const { chainId } = settings;
const provider = new JsonRpcProvider(settings.rpcUrl, chainId, { staticNetwork: true, batchStallTime: 0 });
const signer = new Wallet(settings.signingKey);
const credentials = openCredentials(settings.database, settings.secret);

const abi = [
  "function provider() view returns (string)",
  "function conditions() view returns (tuple(string name, string op, string value)[])",
  "function cutoffBlock() view returns (uint256)",
];
const policyTypes = ["uint256", "address", "string", "tuple(string name, string op, string value)[]"];

const readPolicy = keptForASecond(async (consumer) => {
  const contract = new Contract(consumer, abi, provider);
  const read = (name: string) => contract.getFunction(name)();
  const [name, list, cutoff] = await Promise.all([read("provider"), read("conditions"), read("cutoffBlock")]);
  const conditions: RivalCondition[] = list.map((condition: RivalCondition) => {
    const { name, op, value } = condition;
    return { name, op, value };
  });
  const encoded = AbiCoder.defaultAbiCoder().encode(policyTypes, [chainId, consumer, name, conditions]);
  const since = cutoff === 0n ? 0 : ((await provider.getBlock(cutoff))?.timestamp ?? Number.MAX_SAFE_INTEGER);
  return { provider: String(name), conditions, since, policyHash: keccak256(encoded) };
});

serveExpress(async ({ message, signature }) => {
  const siwe = new SiweMessage(message);
  const consumer = findConsumer(siwe);
  const { success } = await siwe.verify({ signature }, { suppressExceptions: true });
  if (!success) throw new Refusal(400, "Signature.");
  const policy = await readPolicy(consumer);
  const credential = credentials.find(siwe.address, policy.provider);
  if (credential === undefined) throw new Refusal(404, "There is no credential.");
  if (credential.authenticatedAt < policy.since) throw new Refusal(403, "It is too old.");
  demandConditions(policy.conditions, credential.traits);
  const identityHash = hashIdentity(consumer, credential.accountId);
  const expiration = expirationFromNow();
  const { policyHash } = policy;
  const verification = { user: siwe.address, identityHash, policyHash, expiration };
  return { identityHash, expiration, signature: await signer.signTypedData(domain, types, verification) };
});
