import type { Interface } from "ethers";

/** A function call for somebody else to send, with its arguments as Safe's Transaction Builder takes them. */
export interface PlannedCall {
  readonly to: string;
  /** Wei, decimal. */
  readonly value: string;
  readonly data: string;
  readonly name: string;
  readonly inputs: readonly { readonly name: string; readonly type: string; readonly value: string }[];
}

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

/** Plans the call of a function whose arguments are values or arrays of values. */
export function planCall(to: string, abi: Interface, name: string, args: readonly unknown[]): PlannedCall {
  const data = abi.encodeFunctionData(name, args);
  const inputs = abi.getFunction(name)?.inputs ?? [];
  return {
    to,
    value: "0",
    data,
    name,
    inputs: inputs.map(({ name, type }, index) => ({ name, type, value: writeValue(args[index]) })),
  };
}

/** A call as people read it, such as `addSigner(0x…)`. */
export const writeCall = ({ name, inputs }: PlannedCall): string =>
  `${name}(${inputs.map(({ value }) => value).join(", ")})`;

const writeValue = (value: unknown): string =>
  Array.isArray(value) ? `[${value.join(", ")}]` : String(value);

/** A function's name and arguments as people read them. */
export const writeFunction = (name: string, args: readonly unknown[]): string =>
  `${name}(${args.map(writeValue).join(", ")})`;
