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

/** What the compiler said of a contract. */
export interface CompiledContract {
  readonly contractName: string;
  readonly abi: readonly AbiEntry[];
  /** Hex; immutables are zeros in it. */
  readonly deployedBytecode: string;
  /** Where in it the immutables stand, in bytes. */
  readonly immutableReferences?: ImmutableReferences | undefined;
}

/** Id of an immutable's declaration → where its value stands, in bytes. */
export type ImmutableReferences = Readonly<
  Record<string, readonly { readonly start: number; readonly length: number }[]>
>;

/** Whether a contract on the chain is this one, whatever its constructor was given. */
export function isCodeOf(code: string, contract: CompiledContract): boolean {
  const { deployedBytecode, immutableReferences = {} } = contract;
  if (code === "0x" || code.length !== deployedBytecode.length) return false;
  return fillImmutables(code, immutableReferences) === deployedBytecode.toLowerCase();
}

/**
 * Runtime code with its immutables set.
 *
 * @param fill Gives the value by the id of the declaration: hex of up to 32 bytes without `0x`; by default zero.
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
