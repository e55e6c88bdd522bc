import type { Eip1193Connection } from "../protocol/eip1193.ts";
import type { CallsStatus } from "../protocol/eip5792.ts";
import { getCallsStatus } from "./internal/methods/getCallsStatus.ts";
import { getCapabilities } from "./internal/methods/getCapabilities.ts";
import { requestAccounts } from "./internal/methods/requestAccounts.ts";
import { sendCalls } from "./internal/methods/sendCalls.ts";
import { showCallsStatus } from "./internal/methods/showCallsStatus.ts";
import { asDevelopmentNode } from "./internal/node.ts";
import type { WalletState } from "./internal/state.ts";
import type { SignAuthorization } from "./internal/submit.ts";
import {
  type Authorized,
  defaultSettings,
  type Settings,
  type WalletMethod,
  type WalletSettings,
} from "./settings.ts";

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * A wallet for tests: an EIP-1193 connection whose every answer can be set. Each setting is a property that may be
 * assigned at any time; a request is judged by the settings that it met.
 */
export interface DevelopmentWallet extends Eip1193Connection, Writable<Settings> {
  /** Where `wallet_showCallsStatus` shows a batch. */
  show: (status: CallsStatus) => void;
  /** Lets the user refuse the next thing that would be put before them, a batch or to connect, with 4001. */
  rejectNext(): void;
  /** From now on exactly these accounts and methods are authorized; what is left out is `"all"`. */
  authorize(authorized?: { accounts?: Authorized; methods?: Authorized }): void;
  /** Back to the settings that the wallet was made with; batches are forgotten. */
  reset(): void;
}

/** What {@link createWallet} needs. */
export interface WalletOptions {
  /** Of a development node: one that sends transactions of its accounts and knows `hardhat_setCode`. */
  readonly node: Eip1193Connection;
  /** Runtime code of `contracts/wallet/BatchExecutor.sol`, hex. */
  readonly executorCode: string;
  /** Without it, or where it knows no key, the node upgrades an account without its signature. */
  readonly signAuthorization?: SignAuthorization | undefined;
  /** Where they differ from {@link defaultSettings}. */
  readonly settings?: Partial<WalletSettings> | undefined;
  /** Where `wallet_showCallsStatus` shows a batch. */
  readonly show?: ((status: CallsStatus) => void) | undefined;
}

const methods: Readonly<Record<WalletMethod, (state: WalletState, params: unknown) => Promise<unknown>>> = {
  wallet_sendCalls: sendCalls,
  wallet_getCallsStatus: getCallsStatus,
  wallet_getCapabilities: getCapabilities,
  wallet_showCallsStatus: showCallsStatus,
  eth_requestAccounts: requestAccounts,
};

/**
 * Makes a development wallet over a development node: EIP-5792's `wallet_sendCalls`, `wallet_getCallsStatus`,
 * `wallet_getCapabilities` and `wallet_showCallsStatus`, and `eth_requestAccounts`; every other request goes to the
 * node.
 *
 * @example
 * ```ts
 * const wallet = createWallet({ node, executorCode });
 * wallet.rejectNext();
 * await wallet.request({ method: "wallet_sendCalls", params: [request] }); // rejects with code 4001
 * ```
 */
export function createWallet(options: WalletOptions): DevelopmentWallet {
  const first: Settings = { ...defaultSettings, ...options.settings };
  const state: WalletState = {
    node: asDevelopmentNode(options.node),
    executorCode: options.executorCode,
    signAuthorization: options.signAuthorization ?? (async () => undefined),
    settings: first,
    show: options.show ?? (() => {}),
    rejections: 0,
    batches: new Map(),
    reservedIds: new Set(),
    lastSubmission: Promise.resolve(),
  };
  const change = (changes: Partial<Settings>) => {
    state.settings = { ...state.settings, ...changes };
  };
  const wallet = {
    async request({ method, params = [] }: Parameters<Eip1193Connection["request"]>[0]) {
      return isWalletMethod(method)
        ? methods[method](state, params)
        : options.node.request({ method, params });
    },
    rejectNext() {
      state.rejections += 1;
    },
    authorize({ accounts = "all", methods = "all" }: { accounts?: Authorized; methods?: Authorized } = {}) {
      change({ accounts, methods });
    },
    reset() {
      state.settings = first;
      state.rejections = 0;
      state.batches.clear();
    },
    get show() {
      return state.show;
    },
    set show(show) {
      state.show = show;
    },
  };
  for (const name of Object.keys(defaultSettings) as (keyof Settings)[]) {
    Object.defineProperty(wallet, name, {
      enumerable: true,
      get: () => state.settings[name],
      set: (value: unknown) => change({ [name]: value }),
    });
  }
  return wallet as DevelopmentWallet;
}

function isWalletMethod(method: string): method is WalletMethod {
  return Object.hasOwn(methods, method);
}
