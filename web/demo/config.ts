/** What the demo has to know of the stack that it runs in; the stack serves it beside the page. */
export interface DemoConfig {
  readonly chainId: number;
  /** The chain's JSON-RPC endpoint. */
  readonly rpcUrl: string;
  readonly registry: string;
  /** Where the signer service is. */
  readonly signerUrl: string;
  /** Contract name → address. */
  readonly consumers: Readonly<Record<string, string>>;
  /** Code that deploys a `Ballot`, without its argument; hex. */
  readonly ballotCode: string;
}

export async function readConfig(): Promise<DemoConfig> {
  const response = await fetch("config.json");
  if (!response.ok) throw new Error(`The demo's configuration was answered with ${response.status}.`);
  return (await response.json()) as DemoConfig;
}
