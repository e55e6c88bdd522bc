// An app written for a hosted service. Only the statement and the base URL, which its caller passes, are other ones.
import type { Address, Hex, WalletClient } from "viem";
import { createSiweMessage, generateSiweNonce } from "viem/siwe";

const abi = [
  {
    type: "function",
    name: "enroll",
    stateMutability: "nonpayable",
    inputs: [
      { name: "identityHash", type: "bytes32" },
      { name: "expiration", type: "uint40" },
      { name: "signature", type: "bytes" },
    ],
    outputs: [],
  },
] as const;

export async function claim(wallet: WalletClient, account: Address, consumer: Address, baseUrl: string) {
  const message = createSiweMessage({
    address: account,
    chainId: 84532,
    domain: "app.example",
    uri: "https://app.example/claim",
    nonce: generateSiweNonce(),
    version: "1",
    statement: "Claim eligibility for a Verify onchain benefit.",
    issuedAt: new Date(),
    resources: [`eip155:84532:${consumer}`],
  });
  const signature = await wallet.signMessage({ account, message });
  const response = await fetch(`${baseUrl}/v1/onchain_verifications`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message, signature, target: consumer }),
  });
  const body = await response.json();
  if (body.code === "verification_not_found" || body.code === "needs_reauth") {
    const back = encodeURIComponent("https://app.example/claim");
    return { proveAt: `${baseUrl}/verify?redirect_uri=${back}&providers=microblog` };
  }
  if (!response.ok) throw new Error(body.message);
  const args: [Hex, number, Hex] = [body.identityHash, body.expiration, body.signature];
  return {
    hash: await wallet.writeContract({
      account,
      chain: null,
      address: consumer,
      abi,
      functionName: "enroll",
      args,
    }),
  };
}
