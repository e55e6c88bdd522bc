import type { PlannedCall } from "./plannedCall.ts";

/** A transaction that changes a registry or who may change it, and who must send it. */
export interface Step {
  readonly from: string;
  /** The sender as people know it, such as `the registry's owner 0x…`. */
  readonly sender: string;
  /** Whether the sender is a contract, such as a Safe, which cannot sign transactions. */
  readonly fromIsContract: boolean;
  readonly call: PlannedCall;
  /** The call as people read it, such as `schedule(addSigner(0x…))`. */
  readonly title: string;
  /** The contract that is called, such as `the registry 0x…`. */
  readonly place: string;
}
