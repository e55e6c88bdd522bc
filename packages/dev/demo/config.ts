import { fetchAnswer } from "@hardhat-identity/verify-page/shared/fetchAnswer";
import { timeLimitMs } from "@hardhat-identity/verify-page/shared/inTime";

/** The demo's configuration, which the stack serves beside the page. */
export interface DemoConfig {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly registry: string;
  /** Where the signer service is. */
  readonly signerUrl: string;
  /** Where the sandbox is, on which the verify page has people sign in. */
  readonly sandboxUrl: string;
  /** The example consumers: contract name → address. */
  readonly consumers: Readonly<Record<string, string>>;
  /** Code that deploys each of them once more, without its arguments: contract name → hex. */
  readonly codes: Readonly<Record<string, string>>;
  /** Consumers of the project that the stack runs in. */
  readonly own?: readonly OwnConsumer[];
}

/** The configuration, with what the demo's server knows of itself. */
export interface ServedConfig extends DemoConfig {
  readonly demoUrl: string;
  /** The command that forwards all of these addresses to the same ports of another machine. */
  readonly forwarding: string;
}

/** A consumer of which the demo knows no more than its ABI. */
export interface OwnConsumer {
  readonly name: string;
  readonly address: string;
  /** JSON ABI. */
  readonly abi: readonly unknown[];
}

export const readConfig = (): Promise<ServedConfig> => fetchAnswer("config.json");

/**
 * Through a forwarded port, a browser may have this page and nothing else of the machine that it is from.
 *
 * @returns The stack's addresses at which nothing answers this browser.
 */
export async function findUnreached(config: DemoConfig): Promise<readonly string[]> {
  const { rpcUrl, signerUrl, sandboxUrl } = config;
  const urls = [rpcUrl, signerUrl, sandboxUrl];
  // The service has no page at its root, and a browser's console tells each 404.
  const asked = [rpcUrl, `${signerUrl}/healthz`, sandboxUrl];
  const answers = await Promise.allSettled(
    asked.map((url) =>
      fetch(url, { method: "HEAD", mode: "no-cors", signal: AbortSignal.timeout(timeLimitMs) }),
    ),
  );
  return urls.filter((_, i) => answers[i]?.status === "rejected");
}
