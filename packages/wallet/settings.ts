import { isAddress } from "@hardhat-identity/protocol/address";
import { describeValue } from "@hardhat-identity/protocol/describeValue";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { isObject } from "@hardhat-identity/protocol/json";
import type { SendCallsRequest } from "./internal/sendCallsRequest.ts";

/** The methods that the wallet answers. */
export const walletMethods = [
  "wallet_sendCalls",
  "wallet_getCallsStatus",
  "wallet_getCapabilities",
  "wallet_showCallsStatus",
  "eth_requestAccounts",
] as const;

/** One of {@link walletMethods}. */
export type WalletMethod = (typeof walletMethods)[number];

/** The authorized accounts or methods: `"all"`, or a list. */
export type Authorized = "all" | readonly string[];

/** The wallet's settings in JSON, for a configuration file or a request to a node. */
export interface WalletSettings {
  /** Whether a missing `value` of a call means zero wei, as viem and wagmi mean it. The specification refuses it. */
  readonly acceptMissingValue: boolean;
  /** Maximum number of calls in a batch. A larger one is refused with 5740. */
  readonly maxCalls: number;
  /** Whether accounts can be upgraded. If not, several calls with `atomicRequired` are refused with 5710. */
  readonly supports7702: boolean;
  /** Whether the user approves batches. Otherwise they are refused with 4001. */
  readonly approve: boolean;
  /** Whether the user approves upgrades of accounts. Otherwise batches that need one are refused with 5750. */
  readonly approveUpgrade: boolean;
  /** Accounts that may be used; `"all"` means those of the node. Others are refused with 4100. */
  readonly accounts: Authorized;
  /** Methods that may be used. Others are refused with 4100. */
  readonly methods: Authorized;
}

/** The user's answer: fixed, or decided by a function. */
export type Answer<Question> = boolean | ((question: Question) => boolean | Promise<boolean>);

/** The wallet's settings in the same process, where functions may decide the user's answers. */
export interface Settings extends Omit<WalletSettings, "approve" | "approveUpgrade"> {
  /** Whether the user approves a batch. Otherwise it is refused with 4001. */
  readonly approve: Answer<SendCallsRequest>;
  /** Whether the user approves the upgrade of an account (20 bytes hex). Otherwise the batch is refused with 5750. */
  readonly approveUpgrade: Answer<string>;
}

/** Asks the user. */
export async function askUser<Question>(answer: Answer<Question>, question: Question): Promise<boolean> {
  return typeof answer === "function" ? answer(question) : answer;
}

/** The default settings: everything is allowed, as an app's user does it. */
export const defaultSettings: WalletSettings = {
  acceptMissingValue: true,
  maxCalls: 100,
  supports7702: true,
  approve: true,
  approveUpgrade: true,
  accounts: "all",
  methods: "all",
};

const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isList = (value: unknown, isItem: (item: string) => boolean): boolean =>
  value === "all" ||
  (Array.isArray(value) && value.every((item) => typeof item === "string" && isItem(item)));

const rules: Record<keyof WalletSettings, readonly [wanted: string, holds: (value: unknown) => boolean]> = {
  acceptMissingValue: ["true or false", isBoolean],
  maxCalls: ["an integer from 0", (value) => Number.isSafeInteger(value) && Number(value) >= 0],
  supports7702: ["true or false", isBoolean],
  approve: ["true or false", isBoolean],
  approveUpgrade: ["true or false", isBoolean],
  accounts: ['"all" or an array of addresses', (value) => isList(value, isAddress)],
  methods: [
    `"all" or an array of ${walletMethods.join(", ")}`,
    (value) => isList(value, (item) => walletMethods.some((method) => method === item)),
  ],
};

/**
 * Describes in one sentence what is wrong with external settings; `undefined` if they are valid.
 *
 * @param settings Any of {@link WalletSettings}.
 */
export function findSettingsProblem(settings: unknown): string | undefined {
  if (!isObject(settings)) return `The wallet's settings must be an object, got ${describeValue(settings)}.`;
  for (const [name, value] of Object.entries(settings)) {
    const [wanted, holds] = Object.hasOwn(rules, name) ? rules[name as keyof WalletSettings] : [];
    if (wanted === undefined || holds === undefined) {
      return `The wallet has no setting ${name}; it has ${Object.keys(rules).join(", ")}.`;
    }
    if (value !== undefined && !holds(value)) {
      return `The wallet's setting ${name} must be ${wanted}, got ${describeValue(value)}.`;
    }
  }
  return undefined;
}

/**
 * Reads external settings: from a configuration file or a request.
 *
 * @throws InvalidInputError that names the setting, the value and the expected type.
 */
export function readSettings(settings: unknown): Partial<WalletSettings> {
  const problem = findSettingsProblem(settings);
  if (problem !== undefined) throw new InvalidInputError(problem);
  return settings as Partial<WalletSettings>;
}
