// The bare floor: node:http around native curve code. One policy in memory, no store, no chain, no limits, no log. It
// parses only the parts of a message that it uses. Nobody should run it in production.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AbiCoder } from "ethers";
import { bytesOf, hashMessage, hex, keccak, recover, sign } from "../curve.ts";
import { hashVerification, separateDomain } from "../digest.ts";
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
const signingKey = bytesOf(settings.signingKey);
const domain = separateDomain(settings);
const provider = "microblog";
const conditions: RivalCondition[] = [{ name: "followers", op: "gt", value: "1000" }];
const policyTypes = ["uint256", "address", "string", "tuple(string name, string op, string value)[]"];
const traits = { followers: "1200" };
const policyHashes = new Map<string, Uint8Array>();

function readPolicyHash(consumer: string): Uint8Array {
  const known = policyHashes.get(consumer);
  if (known !== undefined) return known;
  const encoded = AbiCoder.defaultAbiCoder().encode(policyTypes, [chainId, consumer, provider, conditions]);
  const hash = keccak(bytesOf(encoded));
  policyHashes.set(consumer, hash);
  return hash;
}

/** Parses a message by the positions of its lines. */
function parseMessage(message: string) {
  const lines = message.split("\n");
  const after = (prefix: string) => lines.find((line) => line.startsWith(prefix))?.slice(prefix.length) ?? "";
  return {
    address: lines[1]?.toLowerCase() ?? "",
    statement: lines[3],
    chainId: Number(after("Chain ID: ")),
    issuedAt: after("Issued At: "),
    resources: lines.filter((line) => line.startsWith("- ")).map((line) => line.slice(2)),
  };
}

function answer(body: string): string {
  const { message, signature } = JSON.parse(body);
  const fields = parseMessage(message);
  const consumer = findConsumer(fields);
  if (recover(hashMessage(message), bytesOf(signature)) !== fields.address) {
    throw new Refusal(400, "Signature.");
  }
  demandConditions(conditions, traits);
  const identityHash = hashIdentity(consumer, fields.address);
  const expiration = expirationFromNow();
  const digest = hashVerification(domain, {
    user: bytesOf(fields.address),
    identityHash: bytesOf(identityHash),
    policyHash: readPolicyHash(consumer),
    expiration,
  });
  return JSON.stringify({ identityHash, expiration, signature: hex(sign(digest, signingKey)) });
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  const parts: Buffer[] = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    try {
      const body = answer(Buffer.concat(parts).toString());
      const headers = { "content-type": "application/json", "content-length": body.length };
      response.writeHead(200, headers).end(body);
    } catch (error) {
      response.writeHead(error instanceof Refusal ? error.status : 500).end(String(error));
    }
  });
}

const server = createServer(handle).listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
