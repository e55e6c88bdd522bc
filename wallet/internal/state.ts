import type { CallsStatus } from "../../protocol/eip5792.ts";
import { WalletError } from "../errors.ts";
import type { Settings } from "../settings.ts";
import type { DevelopmentNode } from "./node.ts";
import type { SignAuthorization, Submission } from "./submit.ts";

/** A batch that was submitted. */
export interface Batch extends Submission {
  readonly id: string;
  /** Hex. */
  readonly chainId: string;
  readonly atomic: boolean;
  /** How many transactions it takes. */
  readonly transactions: number;
}

/** What a wallet was made with, and what it remembers. */
export interface WalletState {
  readonly node: DevelopmentNode;
  readonly executorCode: string;
  readonly signAuthorization: SignAuthorization;
  /** A value, replaced as a whole: a request is judged by the settings that it met. */
  settings: Settings;
  show: (status: CallsStatus) => void;
  /** How many questions the user still refuses, whatever the settings say. */
  rejections: number;
  /** By id. */
  readonly batches: Map<string, Batch>;
  /** Of batches that are not submitted yet. */
  readonly reservedIds: Set<string>;
  /** What the next submission waits for. */
  lastSubmission: Promise<unknown>;
}

/** Refuses what would be put before the user, where `rejectNext` said so: 4001. */
export function takeRejection(state: WalletState): void {
  if (state.rejections === 0) return;
  state.rejections -= 1;
  throw new WalletError("userRejected", "The wallet was told to by rejectNext().");
}
