// The shapes of `connection.identity.attack`, which the package @hardhat-identity/attack plays.
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { Hex } from "@hardhat-identity/protocol/hex";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NetworkConnection } from "hardhat/types/network";
import type { AbiEntry, CompiledContract } from "../consumer/compiledContract.ts";
import type { AddressLike } from "./arguments.ts";
import type { MintedVerification } from "./mint.ts";

/** Arguments instead of invented ones: all of a constructor's in order, or some of any function's by name. */
export type Given = readonly unknown[] | Readonly<Record<string, unknown>>;

/**
 * A contract of ethers or viem, or its address and ABI; or the name of a contract of the project, which is deployed with
 * invented arguments.
 */
export type AttackedContract =
  | string
  | { readonly target: unknown; readonly interface: { formatJson(): string } }
  | { readonly address: string; readonly abi: readonly unknown[] };

/** A wallet of the attacks, as the project's toolbox has it: a signer of ethers, or a wallet client of viem. */
export type ClaimWallet = EthersSigner & ViemWallet & { readonly address: Hex };
type EthersSigner = NetworkConnection extends { readonly ethers: { getSigners(): Promise<(infer Signer)[]> } }
  ? Signer
  : unknown;
type ViemWallet = NetworkConnection extends {
  readonly viem: { getWalletClients(): Promise<readonly (infer Client)[]> };
}
  ? Client
  : unknown;

/** The arguments of a claim each time that it is run. */
export interface ClaimContext {
  /** A verification for `wallet` at the contract, with `args` for its entry point. */
  readonly verification: MintedVerification;
  /** The wallet that claims. */
  readonly wallet: ClaimWallet;
  /** The wallet of the option `sender`, or else `wallet`. */
  readonly sender: ClaimWallet;
  /** Another number for each claim on the same chain, for what can be taken only once, such as a name. */
  readonly unique: number;
  /** Sends a transaction without a toolbox. */
  send(transaction: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** Claims once, as an app would. It may read the chain, sign, and send several transactions. It throws if it is refused. */
export type Claim = (context: ClaimContext) => Promise<unknown>;

/** Options of an attack. */
export interface AttackOptions {
  /** Prepares a wallet before it claims: gives it tokens, votes, a place on a list. It runs once for each wallet. */
  readonly prepare?: ((wallet: ClaimWallet) => Promise<unknown>) | undefined;
  /** The contract or wallet that calls the consumer for users; the claim gets it as `sender`. */
  readonly sender?: AddressLike | undefined;
  /** Says whether a claim whose transactions succeeded has admitted the person. Without it, all of them have. */
  readonly admitted?: ((context: ClaimContext) => boolean | Promise<boolean>) | undefined;
  /** Upgrades the contract to its next version, as you plan to: people claim before it and after it. */
  readonly upgrade?: (() => Promise<unknown>) | undefined;
  /** Names of the attacks to play, as docs/linting.md lists them; all by default. */
  readonly attacks?: readonly string[] | undefined;
  /** Defaults to what `owner()` answers, or else to the first account. */
  readonly owner?: AddressLike | undefined;
  /** Defaults to what `registry()` answers. */
  readonly registry?: AddressLike | undefined;
  /** Arguments by parameter name, instead of invented ones, if no claim is given; a list is the constructor's. */
  readonly args?: Given | undefined;
}

/** Sees a request of a connection before its node does; answers it, or passes it on, changed or not. */
export type Intercept = (
  method: string,
  params: readonly unknown[],
  pass: (method: string, params: readonly unknown[]) => Promise<unknown>,
) => Promise<unknown>;

/** The connection that an attack plays on. */
export interface AttackConnection {
  readonly artifacts?: Artifacts | undefined;
  /** The project, for the comments of its contracts. */
  readonly project?: Pick<HardhatRuntimeEnvironment, "artifacts" | "config" | "solidity"> | undefined;
  /** Opens an account with the project's toolbox. */
  openWallet(address: string): Promise<ClaimWallet>;
}

/** Where the contracts of a project are. */
export interface Artifacts {
  getAllFullyQualifiedNames(): Promise<ReadonlySet<string>>;
  artifactExists(name: string): Promise<boolean>;
  readArtifact(name: string): Promise<Compiled>;
}

/** A compiled contract to deploy. */
export interface Deployable {
  readonly contractName: string;
  /** Path of its source. */
  readonly sourceName?: string;
  readonly abi: readonly AbiEntry[];
  /** Hex, with gaps for the libraries that are linked at deployment. */
  readonly bytecode: string;
  /** File → library → the gaps. */
  readonly linkReferences?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A compiled contract, to deploy and to recognize. */
export type Compiled = Deployable & CompiledContract;

/** A fault of a consumer that an attack has shown. */
export interface Finding {
  readonly attack: string;
  /** The function at which it goes wrong, such as `claim(bytes32,uint40,bytes)`. */
  readonly entryPoint: string;
  readonly message: string;
  /** The change of the claim, such as `amount = 2`; absent if nothing but who claims and when. */
  readonly change?: string | undefined;
  readonly transactions: readonly Step[];
}

/** A transaction of an attack, in words and as it was sent. */
export interface Step {
  readonly what: string;
  readonly from: string;
  readonly to?: string | undefined;
  readonly data: string;
  /** Wei, decimal. */
  readonly value: string;
  readonly hash: string;
}

/** The module of @hardhat-identity/attack that a connection loads. */
export interface AttackModule {
  attackForTest(
    node: Eip1193Connection,
    contract: AttackedContract,
    claim: Claim | undefined,
    options: AttackOptions,
    connection: AttackConnection,
  ): Promise<readonly Finding[]>;
}
