/** What the demo has to know of the stack that it runs in; the stack serves it beside the page. */
export interface DemoConfig {
  readonly chainId: number;
  /** The chain's JSON-RPC endpoint. */
  readonly rpcUrl: string;
  readonly registry: string;
  /** Where the signer service is. */
  readonly signerUrl: string;
  /** The example consumers: contract name → address. */
  readonly consumers: Readonly<Record<string, string>>;
  /** Code that deploys each of them once more, without its arguments: contract name → hex. */
  readonly codes: Readonly<Record<string, string>>;
  /** Consumers of the project that the stack runs in. */
  readonly own?: readonly OwnConsumer[];
}

/** A consumer of which the demo knows no more than its ABI. */
export interface OwnConsumer {
  readonly name: string;
  readonly address: string;
  /** JSON ABI. */
  readonly abi: readonly unknown[];
}

export async function readConfig(): Promise<DemoConfig> {
  const response = await fetch("config.json");
  if (!response.ok) throw new Error(`The demo's configuration was answered with ${response.status}.`);
  return (await response.json()) as DemoConfig;
}
