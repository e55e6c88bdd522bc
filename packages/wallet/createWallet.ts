import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { CallsStatus } from "@hardhat-identity/protocol/eip5792";
import { askNode } from "./internal/askNode.ts";
import { findUnauthorized } from "./internal/authorized.ts";
import { executorCode } from "./internal/executorCode.ts";
import { addChain, switchChain } from "./internal/methods/chains.ts";
import { getCallsStatus } from "./internal/methods/getCallsStatus.ts";
import { getCapabilities } from "./internal/methods/getCapabilities.ts";
import { getPermissions, requestPermissions, revokePermissions } from "./internal/methods/permissions.ts";
import { personalSign } from "./internal/methods/personalSign.ts";
import { requestAccounts } from "./internal/methods/requestAccounts.ts";
import { sendCalls } from "./internal/methods/sendCalls.ts";
import { showCallsStatus } from "./internal/methods/showCallsStatus.ts";
import { signTypedData } from "./internal/methods/signTypedData.ts";
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
 * A wallet for tests: an EIP-1193 connection whose answers can all be configured. Each setting is a property that may
 * be assigned at any time. It applies to later requests.
 */
export interface DevelopmentWallet extends Eip1193Connection, Writable<Settings> {
  /** Shows a batch for `wallet_showCallsStatus`. */
  show: (status: CallsStatus) => void;
  /** Makes the user reject, with 4001, what they are asked next: a batch, transaction, signature, connection or chain. */
  rejectNext(): void;
  /** Whether the user rejects what they are asked next. */
  readonly rejectsNext: boolean;
  /** Authorizes exactly these accounts and methods from now on. Both default to `"all"`. */
  authorize(authorized?: { accounts?: Authorized; methods?: Authorized }): void;
  /** Restores the initial settings and forgets all batches. */
  reset(): void;
}

/** The options of {@link createWallet}. */
export interface WalletOptions {
  /** A connection to a development node, which sends its accounts' transactions and supports `hardhat_setCode`. */
  readonly node: Eip1193Connection;
  /** Runtime code of `contracts/wallet/BatchExecutor.sol`, hex. Defaults to the code of this release. */
  readonly executorCode?: string | undefined;
  /** Signs upgrades of accounts. Without it, or if it has no key, the node upgrades the account without a signature. */
  readonly signAuthorization?: SignAuthorization | undefined;
  /** Settings that override {@link defaultSettings}. */
  readonly settings?: Partial<WalletSettings> | undefined;
  /** Shows a batch for `wallet_showCallsStatus`. */
  readonly show?: ((status: CallsStatus) => void) | undefined;
}

type Method = (state: WalletState, params: unknown) => Promise<unknown>;

const methods: Readonly<Record<WalletMethod, Method>> = {
  wallet_sendCalls: sendCalls,
  wallet_getCallsStatus: getCallsStatus,
  wallet_getCapabilities: getCapabilities,
  wallet_showCallsStatus: showCallsStatus,
  eth_requestAccounts: requestAccounts,
};

/** Methods that apps call and most wallets support, but nodes do not. */
const common: Readonly<Record<string, Method>> = {
  eth_signTypedData: signTypedData,
  eth_signTypedData_v3: signTypedData,
  personal_sign: personalSign,
  wallet_addEthereumChain: addChain,
  wallet_getPermissions: getPermissions,
  wallet_requestPermissions: requestPermissions,
  wallet_revokePermissions: revokePermissions,
  wallet_switchEthereumChain: switchChain,
};

/** Forwarded to the node, after the user's approval. */
const approved: ReadonlySet<string> = new Set(["eth_sendTransaction", "eth_signTypedData_v4"]);

const all: Readonly<Record<string, Method>> = { ...methods, ...common };

/** All methods that the wallet answers itself. */
export const answeredMethods: readonly string[] = Object.keys(all);

/** The states of all wallets. */
const states = new WeakMap<object, WalletState>();

/** Whether a wallet refuses a request that it would forward to the node: by `rejectNext`, or for the account that acts. */
export function refusesForwarded(
  wallet: DevelopmentWallet,
  { method, params }: { readonly method: string; readonly params?: unknown },
): boolean {
  const state = states.get(wallet);
  return state !== undefined && refuses(state, method, params);
}

function refuses(state: WalletState, method: string, params: unknown): boolean {
  // The transactions of a batch were approved before.
  if (state.isSubmitting) return false;
  const isRejected = state.rejections > 0 && approved.has(method);
  return isRejected || findUnauthorized(state.settings, method, params) !== undefined;
}

/**
 * Creates a development wallet for a development node. It answers EIP-5792's `wallet_sendCalls`,
 * `wallet_getCallsStatus`, `wallet_getCapabilities` and `wallet_showCallsStatus`, `eth_requestAccounts`, and what apps
 * call around them: permissions (EIP-2255), `wallet_switchEthereumChain`, `wallet_addEthereumChain`, `personal_sign`
 * also of plain text, and `eth_signTypedData` of every version. It forwards all other requests to the node.
 *
 * @example
 * ```ts
 * const wallet = createWallet({ node });
 * wallet.rejectNext();
 * await wallet.request({ method: "wallet_sendCalls", params: [request] }); // rejects with code 4001
 * ```
 */
export function createWallet(options: WalletOptions): DevelopmentWallet {
  const given = Object.entries(options.settings ?? {}).filter(([, value]) => value !== undefined);
  const first: Settings = { ...defaultSettings, ...Object.fromEntries(given) };
  const firstShow = options.show ?? (() => {});
  const state: WalletState = {
    node: asDevelopmentNode(options.node),
    executorCode: options.executorCode ?? executorCode,
    signAuthorization: options.signAuthorization ?? (async () => undefined),
    settings: first,
    show: firstShow,
    rejections: 0,
    batches: new Map(),
    reservedIds: new Set(),
    lastSubmission: Promise.resolve(),
    isSubmitting: false,
  };
  const change = (changes: Partial<Settings>) => {
    state.settings = { ...state.settings, ...changes };
  };
  const wallet = {
    async request({ method, params = [] }: Parameters<Eip1193Connection["request"]>[0]) {
      const answer = Object.hasOwn(all, method) ? all[method] : undefined;
      if (answer !== undefined) return answer(state, params);
      if (refuses(state, method, params)) return askNode(state, method, params);
      return options.node.request({ method, params });
    },
    get rejectsNext() {
      return state.rejections > 0 && !state.isSubmitting;
    },
    rejectNext() {
      state.rejections += 1;
    },
    authorize({ accounts = "all", methods = "all" }: { accounts?: Authorized; methods?: Authorized } = {}) {
      change({ accounts, methods });
    },
    reset() {
      state.settings = first;
      state.show = firstShow;
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
  states.set(wallet, state);
  return wallet as DevelopmentWallet;
}
