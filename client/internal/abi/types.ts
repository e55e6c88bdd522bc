/** One parameter of a function, as JSON ABIs have it. */
export interface AbiParameter {
  readonly type: string;
  readonly name?: string | undefined;
  readonly components?: readonly AbiParameter[] | undefined;
}

/** One entry of a JSON ABI; only those of type `function` count here. */
export interface AbiItem {
  readonly type: string;
  readonly name?: string | undefined;
  readonly inputs?: readonly AbiParameter[] | undefined;
}

/** A function that can be called. */
export interface AbiFunction {
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
}
