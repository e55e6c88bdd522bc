import { development } from "../../../protocol/development.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Hex } from "../../../protocol/hex.ts";
import type { DevelopmentWallet } from "../../../wallet/index.ts";
import type { CheckResult } from "../consumer/check.ts";
import type { AddressLike } from "./arguments.ts";
import type { CheckOptions } from "./check.ts";
import type { NodeCall, Remembered } from "./explain.ts";
import type { MintedVerification, TestMintOptions } from "./mint.ts";
import type { DeployedRegistry, RegistryOptions } from "./registry.ts";
import type { RequestedVerification, TestRequestOptions } from "./request.ts";
import type { ServiceOptions, TestService } from "./service.ts";

/** What every Hardhat connection carries as `connection.identity`. Addresses may be given as either toolbox has them. */
export interface ConnectionIdentity {
  /** Whose verifications are minted: the development signer, whose key everybody has. */
  readonly signer: {
    readonly address: Hex;
    /** Signs 32 bytes hex as they are. */
    sign(digest: Hex): Promise<Hex>;
  };
  /** Deploys a registry that accepts {@link ConnectionIdentity.signer}. */
  deployRegistry(options?: RegistryOptions): Promise<DeployedRegistry>;
  /**
   * Mints a verification for a consumer, a wallet and a named test identity. With `traits` it does what the service
   * would do for such an account, and throws its error; without, conditions are not looked at.
   *
   * @throws InvalidInputError whose `code` is the service's, where the service would refuse: `conditions_not_satisfied`,
   * `needs_reauth`, `invalid_policy`, `contract_not_found`.
   *
   * @example
   * ```ts
   * const { args } = await connection.identity.mint({ consumer: airdrop, user: phone, identity: "alice" });
   * await airdrop.connect(phone).claim(...args); // ethers
   * await airdrop.write.claim(args, { account: phone.account }); // viem
   * ```
   */
  mint(options: TestMintOptions): Promise<MintedVerification>;
  /**
   * Runs the real signer service against this connection's chain until the connection closes, or the process ends.
   *
   * @param options.credentials People by name: what their provider says of them, and their wallets.
   *
   * @example
   * ```ts
   * await connection.identity.startService({
   *   credentials: { alice: { provider: "microblog", traits: { followers: 1200 }, wallets: [phone, laptop] } },
   * });
   * const { args } = await connection.identity.request({ consumer: airdrop, user: phone });
   * ```
   */
  startService(options: ServiceOptions): Promise<TestService>;
  /** Asks the service that was started last; see {@link TestService.request}. */
  request(options: TestRequestOptions): Promise<RequestedVerification>;
  /** Makes a registry accept {@link ConnectionIdentity.signer}, as its owner would: on a fork, above all. */
  trust(registry: AddressLike): Promise<void>;
  /** Asks the registry whether a consumer would accept a verification now, and says why not. Sends nothing. */
  check(options: CheckOptions): Promise<CheckResult>;
  /**
   * Says in words what made a call or a transaction fail: the contract's error with its arguments, and, of a
   * verification from this connection, what it was bound to and what it was used with.
   *
   * @param error Whatever ethers, viem, Hardhat or the client threw; or revert data, hex.
   */
  explain(error: unknown): Promise<string>;
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

/** A connection's `identity`, and what the plugin's hooks tell it. */
export interface OpenedIdentity {
  readonly identity: ConnectionIdentity;
  /** Keeps what a call reverted with, so that it can be explained. */
  noteRevert(data: string, call: NodeCall): void;
  /** Ends what runs for the connection. */
  close(): Promise<void>;
}

/**
 * Makes the `identity` member of a connection. Nothing is sent or loaded, and no wallet opened, before it is used.
 *
 * @param connection To which the toolboxes add what they have, if only later.
 * @param openWallet Where the network is simulated in this process.
 */
export function openIdentity(
  node: Eip1193Connection,
  connection: object = {},
  openWallet: () => DevelopmentWallet = refuseWallet,
): OpenedIdentity {
  const remembered: Remembered = { bindings: new Map(), reverted: new Map() };
  const services: TestService[] = [];
  let wallet: DevelopmentWallet | undefined;
  let registry: Hex | undefined;

  const identity: ConnectionIdentity = {
    get wallet() {
      wallet ??= openWallet();
      return wallet;
    },
    signer: {
      address: development.signer,
      async sign(digest) {
        const { SigningKey } = await import("ethers");
        return new SigningKey(development.signingKey).sign(digest).serialized as Hex;
      },
    },
    async deployRegistry(options) {
      const { deployRegistry } = await import("./registry.ts");
      const deployed = await deployRegistry(node, connection, options);
      registry = deployed.address;
      return deployed;
    },
    async mint(options) {
      const { mintForTest, withArguments } = await import("./mint.ts");
      const { remember } = await import("./explain.ts");
      const { verification, binding } = await mintForTest(node, options);
      remember(remembered, verification.signature, binding);
      return withArguments(verification);
    },
    async startService(options) {
      const { startTestService } = await import("./service.ts");
      const service = await startTestService(node, remembered, options, registry);
      services.push(service);
      return service;
    },
    async request(options) {
      const service = services.at(-1);
      if (service !== undefined) return service.request(options);
      throw new InvalidInputError(
        "No service runs here: start one with identity.startService({ credentials }).",
      );
    },
    async trust(foreign) {
      const { trustDevelopmentSigner } = await import("./trust.ts");
      await trustDevelopmentSigner(node, foreign);
    },
    async check(options) {
      const { checkForTest } = await import("./check.ts");
      return checkForTest(node, remembered, options);
    },
    async explain(error) {
      const { explainError } = await import("./explain.ts");
      return explainError(node, remembered, error);
    },
    async placeCreate2Factory() {
      const { placeCreate2Factory } = await import("../deployment/create2Factory.ts");
      await placeCreate2Factory(node);
    },
  };
  return {
    identity,
    noteRevert: (data, call) => void remembered.reverted.set(data.toLowerCase(), call),
    async close() {
      for (const service of services.splice(0)) await service.close();
    },
  };
}

function refuseWallet(): never {
  throw new InvalidInputError(
    "This network is not simulated in this process, so there is no development wallet to configure. The wallet of " +
      "a node that runs with hardhat-identity is configured by a request to it: identity_configureWallet.",
  );
}
