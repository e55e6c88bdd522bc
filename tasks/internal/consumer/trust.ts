import { waitForReceipt } from "@hardhat-identity/client";
import { boundedCalls } from "@hardhat-identity/protocol/chain/boundedCalls";
import { isLocalNode } from "@hardhat-identity/protocol/chain/localNode";
import { development } from "@hardhat-identity/protocol/development";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { AbiCoder } from "ethers";
import { mineWaiting } from "./mineWaiting.ts";
import { registryInterface } from "./registryInterface.ts";

/** Wei added to the owner's balance for the transaction, and taken back afterwards. */
const loan = 10n ** 18n;

/**
 * Adds the development signer to a registry's allowlist, by impersonating its owner.
 *
 * @param registry Address of the registry.
 */
export async function trustDevelopmentSigner(node: Eip1193Connection, registry: string): Promise<void> {
  if (!(await isLocalNode(node))) {
    throw new InvalidInputError(
      "This chain is not a local node, so nobody can send transactions as the registry's owner; fork it: " +
        "forking: { url } in the network's configuration.",
    );
  }
  if (BigInt(await askContract(node, registry, "isSigner", [development.signer])) === 1n) return;
  const [owner] = AbiCoder.defaultAbiCoder().decode(
    ["address"],
    await askContract(node, registry, "owner", []),
  );
  await sendAs(
    node,
    owner,
    registry,
    registryInterface.encodeFunctionData("addSigner", [development.signer]),
  );
}

async function askContract(
  node: Eip1193Connection,
  to: string,
  name: string,
  args: readonly unknown[],
): Promise<string> {
  const data = registryInterface.encodeFunctionData(name, args);
  const [answer] = await boundedCalls(node, [{ target: to, data, gasLimit: 200_000, sizeLimit: 32 }]);
  if (answer?.success && answer.size === 32) return answer.data;
  throw new InvalidInputError(
    `${to} is not a SignerRegistry on this chain: it does not answer ${name}(). Name the registry, not a consumer.`,
  );
}

/** Sends a transaction as an account, which may be a contract and may have no ether. Impersonates it where that is needed. */
async function sendAs(node: Eip1193Connection, from: string, to: string, data: string): Promise<void> {
  const balance = await node.request({ method: "eth_getBalance", params: [from, "latest"] });
  const set = (value: bigint) =>
    node.request({ method: "hardhat_setBalance", params: [from, toQuantity(value)] });
  const send = () => node.request({ method: "eth_sendTransaction", params: [{ from, to, data }] });
  const impersonate = async () => {
    await node.request({ method: "hardhat_impersonateAccount", params: [from] });
    return send().finally(() => node.request({ method: "hardhat_stopImpersonatingAccount", params: [from] }));
  };
  await set(BigInt(String(balance)) + loan);
  try {
    // Not impersonated without need: a test may do that already, and goes on with it.
    const hash = String(await send().catch(impersonate));
    await mineWaiting(node, hash);
    await waitForReceipt(node, { hash, interval: 50 });
  } finally {
    await set(BigInt(String(balance)));
  }
}
