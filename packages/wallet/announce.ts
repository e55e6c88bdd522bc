// cspell:ignore Csvg
/** The options of an announcement. */
export interface AnnounceOptions {
  /** URL of the node with the wallet, such as `http://127.0.0.1:8545` of `hardhat node`. */
  readonly rpcUrl: string;
  /** Name in lists of wallets. */
  readonly name?: string;
}

/** A node's development wallet as a page sees it (EIP-1193). */
export interface AnnouncedWallet {
  /** Rejects with an error that has the wallet's `code` and `message`. */
  request(asked: { method: string; params?: unknown }): Promise<unknown>;
  on(event: string, listener: (value: unknown) => void): AnnouncedWallet;
  removeListener(event: string, listener: (value: unknown) => void): AnnouncedWallet;
  /**
   * Does what people do in a wallet, without the page having asked: from now on the page may use these accounts, of
   * which the first acts; without any it is disconnected.
   */
  chooseAccounts(accounts: readonly string[]): void;
}

/**
 * Announces a node's development wallet to the current page (EIP-6963), and sets `window.ethereum` if it is not set.
 * Run it in the page before the app's own scripts. Only the page's own requests and `chooseAccounts` change the
 * accounts, and nothing changes the chain.
 *
 * @returns The wallet as an EIP-1193 provider. It rejects with the wallet's `code` and `message`.
 * @example
 * ```ts
 * await page.addInitScript(announceWallet, { rpcUrl: "http://127.0.0.1:8545" });
 * await page.goto("http://127.0.0.1:3000");
 * ```
 */
export function announceWallet({ rpcUrl, name = "Development wallet" }: AnnounceOptions): AnnouncedWallet {
  // Why one long function: Playwright's `addInitScript` and its like send the source of this function to the page, and
  // nothing that it refers to outside. So its parts are objects in it, in this order: what the page may use
  // (`permission`), the node that does the work (`node`), what the wallet refuses (`refusal`), the methods that it answers
  // itself (`own`), and the provider that the page gets (`wallet`). Functions are methods throughout, because compilers
  // wrap others in functions of their own (esbuild's `__name`), which the page lacks.
  interface Page extends EventTarget {
    ethereum?: unknown;
    readonly sessionStorage: {
      getItem(key: string): string | null;
      setItem(key: string, value: string): void;
    };
    readonly location: { readonly origin: string };
    [announced: symbol]: { readonly provider: AnnouncedWallet } | undefined;
  }
  const page = globalThis as unknown as Page;
  const key = `hardhat-identity wallet of ${rpcUrl}`;
  const listeners = new Set<(value: unknown) => void>();

  const permission = {
    accounts: [] as readonly string[],
    recall() {
      try {
        permission.accounts = JSON.parse(page.sessionStorage.getItem(key) ?? "[]");
      } catch {
        // A document without storage, such as about:blank, forgets.
      }
    },
    change(accounts: readonly string[]) {
      const isSame = JSON.stringify(accounts) === JSON.stringify(permission.accounts);
      permission.accounts = [...accounts];
      try {
        page.sessionStorage.setItem(key, JSON.stringify(accounts));
      } catch {
        // As above.
      }
      if (!isSame) for (const listener of [...listeners]) listener([...accounts]);
    },
    /** As EIP-2255 describes it. */
    describe() {
      const { accounts } = permission;
      if (accounts.length === 0) return [];
      const caveats = [{ type: "restrictReturnedAccounts", value: [...accounts] }];
      return [{ invoker: page.location.origin, parentCapability: "eth_accounts", caveats }];
    },
    async ask() {
      permission.change((await node.request("eth_requestAccounts")) as string[]);
    },
  };

  const node = {
    async request(method: string, params: unknown = []): Promise<unknown> {
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
  };

  const refusal = {
    of(code: number, message: string) {
      return Object.assign(new Error(message), { code });
    },
    /** For parameters that are not EIP-2255's. */
    ofPermissions(method: string, params: unknown) {
      const asked = Object.keys(Object(Object(params)[0]));
      if (asked.length === 1 && asked[0] === "eth_accounts") return undefined;
      return refusal.of(-32602, `${method} must be asked with [{ "eth_accounts": {} }].`);
    },
    /** For an account that acts without the page having permission. */
    ofAccount(method: string, params: unknown) {
      const place = Object.hasOwn(acting, method) ? acting[method] : undefined;
      if (place === undefined) return undefined;
      const given = Object(params);
      const address = /^0x[0-9a-f]{40}$/i;
      // Some apps have the account first, as older wallets took it.
      const isFirst = method === "personal_sign" && address.test(given[0]) && !address.test(given[1]);
      const subject = given[isFirst ? 0 : place];
      const account = Object(subject) === subject ? subject.from : subject;
      if (typeof account !== "string") {
        return refusal.of(
          -32602,
          `${method} must be asked with the account that acts, as params[${place}] has it.`,
        );
      }
      const isPermitted = permission.accounts.some((each) => each.toLowerCase() === account.toLowerCase());
      if (isPermitted) return undefined;
      return refusal.of(
        4100,
        `Account and/or method not authorized by the user. ${method} is asked for ${account}, ` +
          (permission.accounts.length === 0
            ? "and the page is not connected: eth_requestAccounts connects it."
            : `and the page may use ${permission.accounts.join(", ")}.`),
      );
    },
  };

  /** Where the parameters of a method have the account that acts, or an object that has it as `from`. */
  const acting: Readonly<Record<string, number>> = {
    eth_sendTransaction: 0,
    eth_sign: 0,
    eth_signTransaction: 0,
    eth_signTypedData: 0,
    eth_signTypedData_v3: 0,
    eth_signTypedData_v4: 0,
    personal_sign: 1,
    wallet_getCapabilities: 0,
    wallet_sendCalls: 0,
  };

  const own: Readonly<Record<string, () => unknown>> = {
    eth_accounts() {
      return [...permission.accounts];
    },
    async eth_requestAccounts() {
      if (permission.accounts.length === 0) await permission.ask();
      return [...permission.accounts];
    },
    wallet_getPermissions() {
      return permission.describe();
    },
    async wallet_requestPermissions() {
      await permission.ask();
      return permission.describe();
    },
    wallet_revokePermissions() {
      permission.change([]);
      return null;
    },
  };

  const wallet: AnnouncedWallet = {
    async request({ method, params = [] }) {
      const isPermissions = method === "wallet_requestPermissions" || method === "wallet_revokePermissions";
      const refused = isPermissions
        ? refusal.ofPermissions(method, params)
        : refusal.ofAccount(method, params);
      if (refused !== undefined) throw refused;
      return Object.hasOwn(own, method) ? own[method]?.() : node.request(method, params);
    },
    on(event, listener) {
      if (event === "accountsChanged") listeners.add(listener);
      return wallet;
    },
    removeListener(event, listener) {
      if (event === "accountsChanged") listeners.delete(listener);
      return wallet;
    },
    chooseAccounts(accounts) {
      permission.change(accounts);
    },
  };

  const uuid = {
    /** Version 4 (RFC 9562). `crypto.randomUUID` is missing on plain http. */
    create() {
      const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
      const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
    },
  };

  const symbol = Symbol.for(key);
  const before = page[symbol];
  if (before !== undefined) return before.provider;
  permission.recall();
  const detail = Object.freeze({
    info: Object.freeze({
      uuid: uuid.create(),
      name,
      icon: "data:image/svg+xml,%3Csvg%20xmlns=%27http://www.w3.org/2000/svg%27%20viewBox=%270%200%2032%2032%27%3E%3Cpath%20fill=%27indigo%27%20d=%27M0%200h32v32H0z%27/%3E%3Cpath%20fill=%27none%27%20stroke=%27white%27%20stroke-width=%273%27%20stroke-linecap=%27round%27%20stroke-linejoin=%27round%27%20d=%27m12%2010-6%206%206%206m8-12%206%206-6%206%27/%3E%3C/svg%3E",
      rdns: "localhost.hardhat-identity",
    }),
    provider: wallet,
  });
  page[symbol] = detail;
  page.addEventListener("eip6963:requestProvider", () => {
    page.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  });
  page.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  page.ethereum ??= wallet;
  return wallet;
}
