import { type ErrorFragment, Interface, type InterfaceAbi } from "ethers";

/** A contract's refusal. */
export interface Revert {
  /** Such as `AlreadyEnrolled()` or `NotSigner(0x…)`; the raw data when no ABI knows it. */
  readonly text: string;
  readonly name: string | undefined;
  readonly args: readonly unknown[];
}

/**
 * Finds the revert data in what a node's error carries; nodes and providers nest it differently.
 *
 * @returns Hex, possibly `0x`; `undefined` when the error is not a revert.
 */
export function findRevertData(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; typeof at === "object" && at !== null && depth < 6; depth++) {
    const { data, error: inner, cause }: { data?: unknown; error?: unknown; cause?: unknown } = at;
    if (typeof data === "string" && /^0x([0-9a-f]{2})*$/i.test(data)) return data;
    at = data ?? inner ?? cause;
  }
  return undefined;
}

/** Says in Solidity's words what a contract reverted with. */
export function describeRevert(data: string, abis: readonly InterfaceAbi[]): Revert {
  for (const abi of abis) {
    try {
      const parsed = Interface.from(abi).parseError(data);
      if (parsed !== null) return { name: parsed.name, args: [...parsed.args], text: write(parsed) };
    } catch {
      // Another error with the same selector, or not of this contract.
    }
  }
  return { name: undefined, args: [], text: data === "0x" ? "a revert without a reason" : data };
}

function write({ name, args }: { name: string; args: readonly unknown[]; fragment: ErrorFragment }): string {
  return `${name}(${args.map((arg) => (typeof arg === "string" && !arg.startsWith("0x") ? JSON.stringify(arg) : String(arg))).join(", ")})`;
}
