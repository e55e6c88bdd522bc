// The shapes of `connection.identity.attack`, which the package @hardhat-identity/attack plays.
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { AbiEntry } from "../consumer/compiledContract.ts";
import type { AddressLike } from "./arguments.ts";

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

/** Options of an attack. */
export interface AttackOptions {
  /** Arguments by parameter name, instead of invented ones; a list is the constructor's. */
  readonly args?: Given | undefined;
  /** Names of the attacks to play, as docs/linting.md lists them; all by default. */
  readonly attacks?: readonly string[] | undefined;
  /** Defaults to what `owner()` answers, or else to the first account. */
  readonly owner?: AddressLike | undefined;
  /** Defaults to what `registry()` answers. */
  readonly registry?: AddressLike | undefined;
}

/** Where the contracts of a project are. */
export interface Artifacts {
  getAllFullyQualifiedNames(): Promise<ReadonlySet<string>>;
  artifactExists(name: string): Promise<boolean>;
  readArtifact(name: string): Promise<Deployable>;
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

/** A fault of a consumer that an attack has shown. */
export interface Finding {
  readonly attack: string;
  /** The function at which it goes wrong, such as `claim(bytes32,uint40,bytes)`. */
  readonly entryPoint: string;
  readonly message: string;
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
    options?: AttackOptions,
    artifacts?: Artifacts,
  ): Promise<readonly Finding[]>;
}
