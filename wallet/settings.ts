import { isAddress } from "../protocol/address.ts";
import { InvalidInputError } from "../protocol/errors.ts";
import { describe, isFields } from "./internal/fields.ts";

/** The methods that the wallet answers. */
export const walletMethods = [
  "wallet_sendCalls",
  "wallet_getCallsStatus",
  "wallet_getCapabilities",
  "wallet_showCallsStatus",
  "eth_requestAccounts",
] as const;

/** What is authorized: `"all"`, or these alone. */
export type Authorized = "all" | readonly string[];

/** How the wallet behaves, as far as JSON can say it: for a configuration file, and for a request to a node. */
export interface WalletSettings {
  /** Whether a call without `value` is taken as one of zero wei; off as the specification has it, viem needs it on. */
  acceptMissingValue: boolean;
  /** The most calls of one batch; a larger one is refused with 5740. */
  maxCalls: number;
  /** Whether accounts can be upgraded; when off, `atomicRequired` is refused with 5710. */
  supports7702: boolean;
  /** Whether the user approves a batch; otherwise it is refused with 4001. */
  approve: boolean;
  /** Whether the user approves the upgrade of an account; otherwise `atomicRequired` is refused with 5750. */
  approveUpgrade: boolean;
  /** The accounts that may be used, `"all"` being those of the node; for others 4100. */
  accounts: Authorized;
  /** The methods that may be used; for others 4100. */
  methods: Authorized;
}

/** As a wallet starts: everything goes, by the letter of the specification. */
export const defaultSettings: Readonly<WalletSettings> = {
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
