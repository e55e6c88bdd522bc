import type { CallsStatus } from "@hardhat-identity/protocol/eip5792";
import { WalletError } from "../errors.ts";
import type { Settings } from "../settings.ts";
import type { DevelopmentNode } from "./node.ts";
import type { SignAuthorization, Submission } from "./submit.ts";

/** A submitted batch. */
export interface Batch extends Submission {
  readonly id: string;
  /** Hex. */
  readonly chainId: string;
  readonly atomic: boolean;
  /** Number of the batch's transactions. */
  readonly transactions: number;
}

/** The options and the state of a wallet. */
export interface WalletState {
  readonly node: DevelopmentNode;
  readonly executorCode: string;
  readonly signAuthorization: SignAuthorization;
  /** Immutable and replaced as a whole, so that a request keeps the settings that it started with. */
  settings: Settings;
  show: (status: CallsStatus) => void;
  /** Number of questions to which the user still says no, regardless of the settings. */
  rejections: number;
  /** Batches by id. */
  readonly batches: Map<string, Batch>;
  /** Ids of batches that are not submitted yet. */
  readonly reservedIds: Set<string>;
  /** The last submission, for which the next one waits. */
  lastSubmission: Promise<unknown>;
  /** Whether a batch's transactions are on their way to the node: its user has approved them. */
  isSubmitting: boolean;
}

/** Refuses what would be put before the user, where `rejectNext` said so: 4001. */
export function refuseIfRejected(state: WalletState): void {
  if (state.rejections === 0) return;
  state.rejections -= 1;
  throw new WalletError("userRejected", "rejectNext() was called.");
}
