import { isAddress } from "../protocol/address.ts";
import { InvalidInputError } from "../protocol/errors.ts";
import { describe, isFields } from "./internal/fields.ts";
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

/** What is authorized: `"all"`, or these alone. */
export type Authorized = "all" | readonly string[];

/** How the wallet behaves, as far as JSON can say it: for a configuration file, and for a request to a node. */
export interface WalletSettings {
  /** Whether a call without `value` is taken as one of zero wei; off as the specification has it, viem needs it on. */
  readonly acceptMissingValue: boolean;
  /** The most calls of one batch; a larger one is refused with 5740. */
  readonly maxCalls: number;
  /** Whether accounts can be upgraded; when off, `atomicRequired` of several calls is refused with 5710. */
  readonly supports7702: boolean;
  /** Whether the user approves a batch; otherwise it is refused with 4001. */
  readonly approve: boolean;
  /** Whether the user approves that an account is upgraded; otherwise a batch that needs it is refused with 5750. */
  readonly approveUpgrade: boolean;
  /** The accounts that may be used, `"all"` being those of the node; for others 4100. */
  readonly accounts: Authorized;
  /** The methods that may be used; for others 4100. */
  readonly methods: Authorized;
}

/** What the user says: always the same, or as a function decides. */
export type Answer<Question> = boolean | ((question: Question) => boolean | Promise<boolean>);

/** How the wallet behaves, where the user's answers may be functions: in the same process. */
export interface Settings extends Omit<WalletSettings, "approve" | "approveUpgrade"> {
  /** Whether the user approves a batch; otherwise it is refused with 4001. */
  readonly approve: Answer<SendCallsRequest>;
  /** Whether the user approves that an account, 20 bytes hex, is upgraded; otherwise 5750. */
  readonly approveUpgrade: Answer<string>;
}

/** Asks the user. */
export async function askUser<Question>(answer: Answer<Question>, question: Question): Promise<boolean> {
  return typeof answer === "function" ? answer(question) : answer;
}

/** As a wallet starts: everything goes, by the letter of the specification. */
export const defaultSettings: WalletSettings = {
  acceptMissingValue: false,
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
 * Says in one sentence what is wrong with settings that come from outside, or `undefined` when nothing is.
 *
 * @param settings Any of {@link WalletSettings}.
 */
export function findSettingsProblem(settings: unknown): string | undefined {
  if (!isFields(settings)) return `The wallet's settings must be an object, got ${describe(settings)}.`;
  for (const [name, value] of Object.entries(settings)) {
    const [wanted, holds] = Object.hasOwn(rules, name) ? rules[name as keyof WalletSettings] : [];
    if (wanted === undefined || holds === undefined) {
      return `The wallet has no setting ${name}; it has ${Object.keys(rules).join(", ")}.`;
    }
    if (value !== undefined && !holds(value)) {
      return `The wallet's setting ${name} must be ${wanted}, got ${describe(value)}.`;
    }
  }
  return undefined;
}

/**
 * Takes settings that come from outside: a configuration file, or a request.
 *
 * @throws InvalidInputError naming the setting, what it got and what it wants.
 */
export function readSettings(settings: unknown): Partial<WalletSettings> {
  const problem = findSettingsProblem(settings);
  if (problem !== undefined) throw new InvalidInputError(problem);
  return settings as Partial<WalletSettings>;
}
