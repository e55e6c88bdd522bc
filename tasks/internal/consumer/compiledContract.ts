interface AbiParameter {
  readonly type: string;
  readonly name?: string;
  readonly components?: readonly AbiParameter[];
}

/** An entry of a JSON ABI, as the compiler writes it. */
interface AbiEntry {
  readonly type: string;
  readonly name?: string;
  readonly inputs?: readonly AbiParameter[];
  readonly stateMutability?: string;
}

/** The compiler's output for a contract. */
export interface CompiledContract {
  readonly contractName: string;
  readonly abi: readonly AbiEntry[];
  /** Hex, with zeros for the immutables. */
  readonly deployedBytecode: string;
  /** Positions of the immutables in the bytecode, in bytes. */
  readonly immutableReferences?: ImmutableReferences | undefined;
}

/** Id of an immutable's declaration → positions of its value, in bytes. */
export type ImmutableReferences = Readonly<
  Record<string, readonly { readonly start: number; readonly length: number }[]>
>;

/** Returns whether onchain code is of this contract, with any values of its immutables. */
export function isCodeOf(code: string, contract: CompiledContract): boolean {
  const { deployedBytecode, immutableReferences = {} } = contract;
  if (code === "0x" || code.length !== deployedBytecode.length) return false;
  return fillImmutables(code, immutableReferences) === deployedBytecode.toLowerCase();
}

/**
 * Sets the immutables in runtime code.
 *
 * @param fill Returns the value for the id of a declaration: hex of up to 32 bytes without `0x`. Defaults to zero.
 */
export function fillImmutables(
  code: string,
  references: ImmutableReferences,
  fill: (id: string) => string = () => "",
): string {
  let filled = code.toLowerCase();
  for (const [id, places] of Object.entries(references)) {
    for (const { start, length } of places) {
      const at = 2 + 2 * start;
      filled = filled.slice(0, at) + fill(id).padStart(2 * length, "0") + filled.slice(at + 2 * length);
    }
  }
  return filled;
}
