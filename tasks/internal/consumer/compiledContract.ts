/** A parameter, or a member of one. */
export interface AbiParameter {
  readonly type: string;
  readonly name?: string;
  readonly components?: readonly AbiParameter[];
}

/** An entry of a JSON ABI, as the compiler writes it. */
export interface AbiEntry {
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
  readonly immutableReferences?: References | undefined;
  /** File → library → positions of its address, which is unknown until deployment. */
  readonly deployedLinkReferences?: Readonly<Record<string, References>> | undefined;
}

/** Name of a value → its positions in the bytecode, in bytes. */
type References = Readonly<Record<string, readonly { readonly start: number; readonly length: number }[]>>;

/**
 * Returns whether onchain code is of this contract, with any values of its immutables and any libraries. Comments in the
 * sources, which change their hash in the code, change nothing.
 */
export function isCodeOf(code: string, contract: CompiledContract): boolean {
  if (code === "0x" || code.length !== contract.deployedBytecode.length) return false;
  const withoutHash = (filled: string) => filled.replace(sourceHash, "");
  return withoutHash(fillIn(contract, undefined, code)) === withoutHash(fillIn(contract));
}

/** The hash of the sources that solc appends to code, as an IPFS hash, also to the code of created contracts. */
export const sourceHash = /64697066735822[\da-f]{68}/g;

/**
 * Sets the immutables and the addresses of external libraries in runtime code.
 *
 * @param fill Returns the value for the id of an immutable's declaration, or for the name of a library: hex of up to 32
 *   bytes without `0x`. Defaults to zero.
 * @param code Defaults to the compiler's.
 */
export function fillIn(
  { deployedBytecode, immutableReferences = {}, deployedLinkReferences = {} }: CompiledContract,
  fill: (name: string) => string = () => "",
  code = deployedBytecode,
): string {
  let filled = code.toLowerCase();
  const references = [immutableReferences, ...Object.values(deployedLinkReferences)];
  for (const [id, places] of references.flatMap((each) => Object.entries(each))) {
    for (const { start, length } of places) {
      const at = 2 + 2 * start;
      filled = filled.slice(0, at) + fill(id).padStart(2 * length, "0") + filled.slice(at + 2 * length);
    }
  }
  return filled;
}
