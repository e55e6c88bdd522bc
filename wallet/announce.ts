/** The options of an announcement. */
export interface AnnounceOptions {
  /** URL of the node with the wallet, such as `http://127.0.0.1:8545` of `hardhat node`. */
  readonly rpcUrl: string;
  /** Name in lists of wallets. */
  readonly name?: string;
}

/**
 * Announces a node's development wallet to the current page (EIP-6963), and sets `window.ethereum` if it is not set.
 * Run it in the page before the app's own scripts. It has no dependencies, so a browser under test can evaluate the
 * function itself. The wallet's accounts and chain never change by themselves, so it emits no events.
 *
 * @returns The wallet as an EIP-1193 provider. It rejects with the wallet's `code` and `message`.
 * @example
 * ```ts
 * await page.addInitScript(announceWallet, { rpcUrl: "http://127.0.0.1:8545" });
 * await page.goto("http://127.0.0.1:3000");
 * ```
 */
export function announceWallet({ rpcUrl, name = "Development wallet" }: AnnounceOptions) {
  const wallet = {
    async request({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> {
      const response = await fetch(rpcUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const answer = (await response.json()) as {
        result?: unknown;
        error?: { code: number; message: string; data?: unknown };
      };
      if (answer.error === undefined) return answer.result;
      const { code, message, data } = answer.error;
      throw Object.assign(new Error(message), { code, data });
    },
    on() {
      return wallet;
    },
    removeListener() {
      return wallet;
    },
  };
  const page = globalThis as typeof globalThis & EventTarget & { ethereum?: unknown };
  const detail = Object.freeze({
    info: Object.freeze({
      uuid: crypto.randomUUID(),
      name,
      icon: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><path fill='indigo' d='M0 0h32v32H0z'/><path fill='none' stroke='white' stroke-width='3' stroke-linecap='round' stroke-linejoin='round' d='m12 10-6 6 6 6m8-12 6 6-6 6'/></svg>",
      rdns: "localhost.hardhat-identity",
    }),
    provider: wallet,
  });
  page.addEventListener("eip6963:requestProvider", () => {
    page.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  });
  page.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  page.ethereum ??= wallet;
  return wallet;
}
