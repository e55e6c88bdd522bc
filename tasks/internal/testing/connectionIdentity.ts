import { development } from "@hardhat-identity/protocol/development";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { Hex } from "@hardhat-identity/protocol/hex";
import type { CheckResult } from "../consumer/check.ts";
import { loadPackage } from "../loadPackage.ts";
import type { AddressLike } from "./arguments.ts";
import type {
  AttackConnection,
  AttackedContract,
  AttackModule,
  AttackOptions,
  Claim,
  Finding,
} from "./attack.ts";
import type { CheckOptions } from "./check.ts";
import type { NodeCall, Remembered } from "./explain.ts";
import type { MintedVerification, TestMintOptions } from "./mint.ts";
import type { DeployedRegistry, RegistryOptions } from "./registry.ts";
import type { ServiceModule, ServiceOptions, TestService } from "./service.ts";

/**
 * The members that this plugin adds to the `identity` of every Hardhat connection. They accept addresses as strings or as
 * objects of either toolbox.
 */
export interface PluginIdentity {
  /** The development signer, whose key is public. It signs the minted verifications. */
  readonly signer: {
    readonly address: Hex;
    /** Signs 32 bytes hex without hashing or prefixing them. */
    sign(digest: Hex): Promise<Hex>;
  };
  /** Deploys a registry that accepts {@link PluginIdentity.signer}. */
  deployRegistry(options?: RegistryOptions): Promise<DeployedRegistry>;
  /**
   * Mints a verification for a consumer, a wallet and a named test identity. With `traits` it checks the conditions as
   * the service would for such an account, and throws the service's error. Without, it does not check conditions.
   *
   * @throws InvalidInputError with the service's `code` if the service would refuse: `conditions_not_satisfied`,
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
   * Runs the real signer service on this connection's chain until the connection closes or the process ends.
   *
   * @param options.credentials People by name: their provider, traits and wallets.
   *
   * @example
   * ```ts
   * const service = await connection.identity.startService({
   *   credentials: { alice: { provider: "microblog", traits: { followers: 1200 }, wallets: [phone, laptop] } },
   * });
   * const { args } = await service.request({ consumer: airdrop, user: phone });
   * ```
   */
  startService(options: ServiceOptions): Promise<TestService>;
  /** Adds {@link PluginIdentity.signer} to a registry's allowlist as its owner; mainly for forks. */
  trust(registry: AddressLike): Promise<void>;
  /** Checks whether a consumer would accept a verification now, and explains a refusal. Sends no transaction. */
  check(options: CheckOptions): Promise<CheckResult>;
  /**
   * Records one claim, and then plays it with one change at a time: another's verification, another wallet of the same
   * person, another amount. Takes everything back.
   *
   * @param claim Claims once with what it is given. Without it, the attack invents a claim, for simple contracts.
   * @returns The faults that were shown.
   * @throws InvalidInputError if the claim is refused for a verified person.
   *
   * @example
   * ```ts
   * const faults = await connection.identity.attack(airdrop, ({ verification, wallet }) =>
   *   airdrop.connect(wallet).claim(...verification.args), // ethers
   * );
   * expect(faults).to.deep.equal([]);
   * ```
   */
  attack(contract: AttackedContract, claim: Claim, options?: AttackOptions): Promise<readonly Finding[]>;
  attack(contract: AttackedContract, options?: AttackOptions): Promise<readonly Finding[]>;
  /**
   * Explains why a call or a transaction failed: the contract's error with its arguments and, for a verification from
   * this connection, what it was bound to and what it was used with.
   *
   * @param error The error that ethers, viem, Hardhat or the client threw, or revert data in hex.
   */
  explain(error: unknown): Promise<string>;
}

/** A connection's `identity`, and the methods that the plugin's hooks call. */
export interface OpenedIdentity {
  readonly identity: PluginIdentity;
  /** Keeps a call's revert data, so that it can be explained. */
  noteRevert(data: string, call: NodeCall): void;
  /** Stops the connection's services. */
  close(): Promise<void>;
}

/**
 * Creates the `identity` of a connection. It sends nothing and loads nothing before its first use.
 *
 * @param connection The project's toolbox and compiled contracts, for attacks.
 */
export function openIdentity(
  node: Eip1193Connection,
  connection: AttackConnection = withoutToolbox,
): OpenedIdentity {
  const remembered: Remembered = { bindings: new Map(), reverted: new Map() };
  const services: TestService[] = [];
  let registry: Hex | undefined;

  const identity: PluginIdentity = {
    signer: {
      address: development.signer,
      async sign(digest) {
        const { SigningKey } = await import("ethers");
        return new SigningKey(development.signingKey).sign(digest).serialized as Hex;
      },
    },
    async deployRegistry(options) {
      const { deployRegistry } = await import("./registry.ts");
      const deployed = await deployRegistry(node, options);
      registry = deployed.address;
      return deployed;
    },
    async mint(options) {
      const { mintForTest } = await import("./mint.ts");
      return mintForTest(node, remembered, options);
    },
    async startService(options) {
      const { startTestService } = await loadPackage<ServiceModule>(
        "@hardhat-identity/dev/internal/testService",
      );
      const service = await startTestService(node, remembered, options, registry);
      services.push(service);
      return service;
    },
    async trust(foreign) {
      const { readAddress } = await import("./arguments.ts");
      const { trustDevelopmentSigner } = await import("../consumer/trust.ts");
      await trustDevelopmentSigner(node, readAddress("registry", foreign));
    },
    async check(options) {
      const { checkForTest } = await import("./check.ts");
      return checkForTest(node, remembered, options);
    },
    async attack(contract: AttackedContract, ...rest: unknown[]) {
      const { attackForTest } = await loadPackage<AttackModule>(
        "@hardhat-identity/attack/internal/attackForTest",
      );
      const [claim, options = {}] = typeof rest[0] === "object" ? [undefined, rest[0]] : rest;
      return attackForTest(node, contract, claim as Claim, options as AttackOptions, connection);
    },
    async explain(error) {
      const { explainError } = await import("./explain.ts");
      return explainError(node, remembered, error);
    },
  };
  return {
    identity,
    noteRevert: (data, call) => void remembered.reverted.set(data.toLowerCase(), call),
    async close() {
      const closed = await Promise.allSettled(services.splice(0).map((service) => service.close()));
      for (const each of closed) if (each.status === "rejected") throw each.reason;
    },
  };
}

const withoutToolbox: AttackConnection = {
  openWallet: async (address) => ({ address, account: { address, type: "json-rpc" } }) as never,
};
