import type { Eip1193Connection } from "../protocol/eip1193.ts";
import type { CallsStatus } from "../protocol/eip5792.ts";
import { WalletError } from "./errors.ts";
import { delegation, knows7702 } from "./internal/executor.ts";
import { describe, readAddress, readChainId, readText, refuse } from "./internal/fields.ts";
import { createNode } from "./internal/node.ts";
import { readSendCalls, type SendCallsRequest } from "./internal/sendCallsRequest.ts";
import { type Batch, readStatus } from "./internal/status.ts";
import { type Execution, includesAddress, type SignAuthorization, submitBatch } from "./internal/submit.ts";
import { type Authorized, defaultSettings, type WalletSettings, type walletMethods } from "./settings.ts";

/** What the user says: always the same, or as a function decides. */
export type Answer<Question> = boolean | ((question: Question) => boolean | Promise<boolean>);

/** A wallet for tests: an EIP-1193 provider whose every answer can be set. Its settings may be changed at any time. */
export interface DevelopmentWallet
  extends Eip1193Connection,
    Omit<WalletSettings, "approve" | "approveUpgrade"> {
  /** Whether the user approves a batch; otherwise it is refused with 4001. */
  approve: Answer<SendCallsRequest>;
  /** Whether the user approves that an account, 20 bytes hex, is upgraded; otherwise 5750. */
  approveUpgrade: Answer<string>;
  /** Where `wallet_showCallsStatus` shows a batch. */
  show: (status: CallsStatus) => void;
  /** Lets the user refuse the next batch that would be put before them, with 4001. */
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

/**
 * Makes a development wallet over a development node: EIP-5792's `wallet_sendCalls`, `wallet_getCallsStatus`,
 * `wallet_getCapabilities` and `wallet_showCallsStatus`, and `eth_requestAccounts`; every other request goes to the
 * node.
 *
 * @example
 * ```ts
 * const wallet = createWallet({ provider, executorCode });
 * wallet.rejectNext();
 * await wallet.request({ method: "wallet_sendCalls", params: [request] }); // rejects with code 4001
 * ```
 */
export function createWallet(options: WalletOptions): DevelopmentWallet {
  const node = createNode(options.node);
  const { executorCode, signAuthorization = async () => undefined } = options;
  const batches = new Map<string, Batch>();
  const reservedIds = new Set<string>();
  let rejections = 0;
  let queue: Promise<unknown> = Promise.resolve();

  const wallet: DevelopmentWallet = {
    ...defaultSettings,
    ...options.settings,
    show: options.show ?? (() => {}),
    rejectNext() {
      rejections += 1;
    },
    authorize({ accounts = "all", methods = "all" } = {}) {
      Object.assign(wallet, { accounts, methods });
    },
    reset() {
      Object.assign(wallet, defaultSettings, options.settings);
      rejections = 0;
      batches.clear();
    },
    async request({ method, params = [] }) {
      switch (method) {
        case "wallet_sendCalls":
          return sendCalls(params);
        case "wallet_getCallsStatus":
          return readStatus(node, findBatch(method, params));
        case "wallet_showCallsStatus":
          wallet.show(await readStatus(node, findBatch(method, params)));
          return null;
        case "wallet_getCapabilities":
          return getCapabilities(params);
        case "eth_requestAccounts":
          checkMethod(method);
          return authorizedAccounts();
        default:
          return options.node.request({ method, params });
      }
    },
  };
  return wallet;

  /** The order of these steps is the order in which errors win; see docs/wallet.md. */
  async function sendCalls(params: unknown): Promise<{ batchId: string; status: "pending"; id: string }> {
    const { request, lackingCapabilities } = readSendCalls(params, wallet);
    await checkChain(request.chainId);
    checkMethod("wallet_sendCalls");
    await checkAccount(request.from);
    refuseLacking(lackingCapabilities);
    checkSize(request);
    const id = reserveId(request.id);
    try {
      const execution = await chooseExecution(request);
      await askUser(request);
      const submission = await inTurn(() =>
        submitBatch(node, request, execution, { executorCode, signAuthorization }),
      );
      const atomic = execution !== "sequential";
      const transactions = atomic ? 1 : request.calls.length;
      batches.set(id, { ...submission, id, chainId: request.chainId, atomic, transactions });
    } finally {
      reservedIds.delete(id);
    }
    return { batchId: id, status: "pending", id };
  }

  async function checkChain(chainId: string): Promise<void> {
    const connected = await node.chainId();
    if (BigInt(chainId) !== BigInt(connected)) {
      throw new WalletError(
        "invalidParams",
        `chainId is ${chainId}, but the wallet is connected to ${connected}.`,
      );
    }
  }

  function checkMethod(method: (typeof walletMethods)[number]): void {
    if (wallet.methods !== "all" && !wallet.methods.includes(method)) {
      throw new WalletError("unauthorized", `The method ${method} is not.`);
    }
  }

  async function checkAccount(account: string): Promise<void> {
    if (!includesAddress(await authorizedAccounts(), account)) {
      throw new WalletError(
        "unauthorized",
        `The account ${account} is not; the wallet's authorize() takes accounts, also those that are not the node's.`,
      );
    }
  }

  async function authorizedAccounts(): Promise<readonly string[]> {
    return wallet.accounts === "all" ? node.accounts() : wallet.accounts;
  }

  function refuseLacking(capabilities: readonly string[]): void {
    if (capabilities.length > 0) {
      throw new WalletError("capabilityNotSupported", `It lacks ${capabilities.join(", ")}.`);
    }
  }

  function checkSize({ calls }: SendCallsRequest): void {
    if (calls.length > wallet.maxCalls) {
      throw new WalletError(
        "batchTooLarge",
        `It has ${calls.length} calls; the wallet's setting maxCalls is ${wallet.maxCalls}.`,
      );
    }
  }

  function reserveId(id: string = randomId()): string {
    if (batches.has(id) || reservedIds.has(id))
      throw new WalletError("duplicateBatch", `It is ${describe(id)}.`);
    reservedIds.add(id);
    return id;
  }

  async function chooseExecution({ from, chainId, atomicRequired }: SendCallsRequest): Promise<Execution> {
    if (!(await supportsUpgrades(from))) {
      if (atomicRequired) throw new WalletError("upgradeNotSupported", `It is ${chainId}.`);
      return "sequential";
    }
    const code = await node.code(from);
    if (code === delegation) return "atomic";
    if (!atomicRequired) return "sequential";
    if (code !== "0x") {
      throw new WalletError(
        "upgradeRejected",
        `The account ${from} has code of its own, which is not replaced.`,
      );
    }
    if (!(await answer(wallet.approveUpgrade, from))) {
      throw new WalletError("upgradeRejected", `The account is ${from}.`);
    }
    return "atomic-after-upgrade";
  }

  async function supportsUpgrades(account: string): Promise<boolean> {
    return wallet.supports7702 && (await knows7702(node, account));
  }

  async function askUser(request: SendCallsRequest): Promise<void> {
    if (rejections > 0) {
      rejections -= 1;
      throw new WalletError("userRejected", "The wallet was told to by rejectNext().");
    }
    if (!(await answer(wallet.approve, request))) {
      throw new WalletError("userRejected", "The wallet's setting approve says so.");
    }
  }

  /** One batch after the other, or two of one account would take the same nonce. */
  function inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = queue.then(action);
    queue = result.catch(() => {});
    return result;
  }

  function findBatch(method: (typeof walletMethods)[number], params: unknown): Batch {
    if (!Array.isArray(params) || params.length !== 1) {
      return refuse("params", "an array with one batch id", params);
    }
    const id = readText(params[0], "params[0]");
    checkMethod(method);
    const batch = batches.get(id);
    if (batch === undefined) throw new WalletError("unknownBatch", `It is ${describe(id)}.`);
    return batch;
  }

  async function getCapabilities(params: unknown): Promise<Record<string, object>> {
    if (!Array.isArray(params) || params.length < 1 || params.length > 2) {
      return refuse("params", "an array with an address and, optionally, an array of chain ids", params);
    }
    const account = readAddress(params[0], "params[0]");
    const asked = params[1] === undefined ? undefined : readChainIds(params[1]);
    checkMethod("wallet_getCapabilities");
    await checkAccount(account);
    const chainId = await node.chainId();
    if (asked !== undefined && !asked.includes(chainId)) return {};
    const upgraded = (await node.code(account)) === delegation;
    const status = !(await supportsUpgrades(account)) ? "unsupported" : upgraded ? "supported" : "ready";
    // "0x0" stands for every chain (EIP-5792); ERC-8132 announces its capability there.
    return { "0x0": { gasLimitOverride: { supported: true } }, [chainId]: { atomic: { status } } };
  }
}

function readChainIds(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return refuse("params[1]", "an array of chain ids", value);
  return value.map((chainId, i) => readChainId(chainId, `params[1][${i}]`));
}

async function answer<Question>(given: Answer<Question>, question: Question): Promise<boolean> {
  return typeof given === "function" ? given(question) : given;
}

/** 63 hex digits, the first not zero: the OpenRPC description writes an id as an integer. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(31));
  return `0x1${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
