import { AbiCoder, BrowserProvider, Contract, concat, Wallet } from "ethers";
import { readArtifact } from "../../ignition/artifacts.ts";
import { development } from "../../protocol/development.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import type { SignedVerification } from "../../protocol/verification.ts";
import type { DevelopmentWallet } from "../../wallet/index.ts";
import type { MintOptions } from "./consumer/mint.ts";

/** What every Hardhat connection carries as `connection.identity`. */
export interface ConnectionIdentity {
  /** Whose verifications {@link ConnectionIdentity.mint} makes: the development signer. */
  readonly signer: Wallet;
  /**
   * Mints a verification for a consumer, a wallet and a named test identity. Conditions are not looked at.
   *
   * @example
   * ```ts
   * const { identityHash, expiration, signature } = await connection.identity.mint({
   *   consumer: await program.getAddress(),
   *   user: alice.address,
   *   identity: "alice",
   * });
   * await program.connect(alice).enroll(identityHash, expiration, signature);
   * ```
   */
  mint(options: MintOptions): Promise<SignedVerification>;
  /**
   * Deploys a registry.
   *
   * @param options.owner Defaults to the first account.
   * @param options.signers Defaults to {@link ConnectionIdentity.signer} alone.
   */
  deployRegistry(options?: { owner?: string; signers?: readonly string[] }): Promise<Contract>;
  /**
   * Places the CREATE2 factory that Ignition's strategy `create2` needs. For local nodes, where Ignition does so by
   * itself on chain 31337 only.
   */
  placeCreate2Factory(): Promise<void>;
  /**
   * The development wallet that answers `wallet_sendCalls` here: its settings provoke every failure. Throws
   * `InvalidInputError` where the network is not simulated.
   *
   * @example
   * ```ts
   * connection.identity.wallet.rejectNext();
   * await connection.provider.request({ method: "wallet_sendCalls", params: [batch] }); // rejects with code 4001
   * ```
   */
  readonly wallet: DevelopmentWallet;
}

/**
 * Makes the `identity` member of a connection. Nothing is sent, and no wallet opened, before it is used.
 *
 * @param openWallet Where the network is simulated in this process.
 */
export function createConnectionIdentity(
  node: Eip1193Connection,
  openWallet: () => DevelopmentWallet = refuseWallet,
): ConnectionIdentity {
  let wallet: DevelopmentWallet | undefined;
  return {
    get wallet() {
      wallet ??= openWallet();
      return wallet;
    },
    signer: new Wallet(development.signingKey),
    async mint(options) {
      const { mintVerification } = await import("./consumer/mint.ts");
      return mintVerification(node, options);
    },
    async placeCreate2Factory() {
      const { placeCreate2Factory } = await import("./deployment/create2Factory.ts");
      await placeCreate2Factory(node);
    },
    async deployRegistry({ owner, signers = [development.signer] } = {}) {
      const [from] = (await node.request({ method: "eth_accounts" })) as string[];
      const { abi, bytecode } = readArtifact("SignerRegistry");
      const args = AbiCoder.defaultAbiCoder().encode(["address", "address[]"], [owner ?? from, signers]);
      const hash = await node.request({
        method: "eth_sendTransaction",
        params: [{ from, data: concat([bytecode, args]) }],
      });
      const browser = new BrowserProvider(node, "any", { pollingInterval: 50 });
      const receipt = await browser.waitForTransaction(String(hash));
      if (!receipt?.contractAddress) throw new Error(`The registry was not deployed by transaction ${hash}.`);
      return new Contract(receipt.contractAddress, abi, await browser.getSigner(from));
    },
  };
}

function refuseWallet(): never {
  throw new InvalidInputError(
    "This network is not simulated in this process, so there is no development wallet to configure. The wallet of " +
      "a node that runs with hardhat-identity is configured by a request to it: identity_configureWallet.",
  );
}
