import type { CallsStatus } from "../../protocol/eip5792.ts";
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
  /** How many batches the user still refuses, whatever the settings say. */
  rejections: number;
  /** By id. */
  readonly batches: Map<string, Batch>;
  /** Of batches that are not submitted yet. */
  readonly reservedIds: Set<string>;
  /** What the next submission waits for. */
  lastSubmission: Promise<unknown>;
}
