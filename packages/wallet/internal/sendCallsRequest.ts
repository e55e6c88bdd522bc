import { describeValue } from "@hardhat-identity/protocol/describeValue";
import { type SendCallsParameter, sendCallsVersion } from "@hardhat-identity/protocol/eip5792";
import { isObject } from "@hardhat-identity/protocol/json";
import { WalletError } from "../errors.ts";
import {
  type Fields,
  readAddress,
  readBoolean,
  readBytes,
  readChainId,
  readFields,
  readInteger,
  readText,
  refuse,
} from "./fields.ts";

/** Maximum length of a batch id, as in EIP-5792. */
const maxIdBytes = 4096;

/** One call of a batch. */
export interface Call {
  /** The recipient, 20 bytes hex. */
  readonly to: string;
  /** Wei. */
  readonly value: bigint;
  /** Hex. */
  readonly data: string;
  /** Gas limit; `undefined` if the app leaves it to the wallet. */
  readonly gasLimit: bigint | undefined;
}

/** A parsed `wallet_sendCalls` request. Its addresses are in lower case. */
export interface SendCallsRequest extends Pick<SendCallsParameter, "from" | "chainId" | "atomicRequired"> {
  /** The app's own id for the batch, hex. */
  readonly id: string | undefined;
  readonly calls: readonly Call[];
}

/**
 * Reads the parameters of `wallet_sendCalls` by the specification's tables. It checks the version first, because
 * another version has another format.
 *
 * @param params The request's `params`.
 * @param settings.acceptMissingValue Whether a missing `value` of a call means zero wei.
 * @returns The request, and the paths of required capabilities that this wallet lacks.
 * @throws WalletError -32602 with the path of the field, or -32000.
 */
export function readSendCalls(
  params: unknown,
  settings: { acceptMissingValue: boolean },
): { request: SendCallsRequest; lackingCapabilities: readonly string[] } {
  if (!Array.isArray(params) || params.length !== 1) {
    return refuse("params", "an array with one object", params);
  }
  const fields = readFields(params[0], "params[0]");
  const version = readText(fields.version, "version");
  if (version !== sendCallsVersion) {
    throw new WalletError(
      "versionNotSupported",
      `version must be "${sendCallsVersion}", got ${describeValue(version)}.`,
    );
  }
  const request = {
    id: fields.id === undefined ? undefined : readId(fields.id),
    from: readAddress(fields.from, "from"),
    chainId: readChainId(fields.chainId, "chainId"),
    atomicRequired: readBoolean(fields.atomicRequired, "atomicRequired"),
    calls: readCalls(fields.calls, settings.acceptMissingValue),
  };
  const lackingCapabilities = [
    ...findLacking(readCapabilities(fields, ""), "capabilities", []),
    ...(fields.calls as Fields[]).flatMap((call, i) =>
      findLacking(readCapabilities(call, `calls[${i}].`), `calls[${i}].capabilities`, ["gasLimitOverride"]),
    ),
  ];
  return { request, lackingCapabilities };
}

function readId(value: unknown): string {
  return typeof value === "string" && /^0x[0-9a-fA-F]+$/.test(value) && value.length <= 2 + 2 * maxIdBytes
    ? value
    : refuse("id", `0x and hex digits, at most ${maxIdBytes} bytes`, value);
}

function readCalls(value: unknown, acceptMissingValue: boolean): readonly Call[] {
  if (!Array.isArray(value)) return refuse("calls", "an array", value);
  return value.map((item, i) => {
    const path = `calls[${i}]`;
    const call = readFields(item, path);
    return {
      to: readAddress(call.to, `${path}.to`),
      value: readValue(call.value, `${path}.value`, acceptMissingValue),
      data: call.data === undefined ? "0x" : readBytes(call.data, `${path}.data`),
      gasLimit: readGasLimit(readCapabilities(call, `${path}.`), `${path}.capabilities`),
    };
  });
}

function readValue(value: unknown, path: string, acceptMissing: boolean): bigint {
  if (value !== undefined) return readInteger(value, path, 256);
  if (acceptMissing) return 0n;
  throw new WalletError(
    "invalidParams",
    `${path} is missing: an amount in wei, hex, is required, because the wallet's setting acceptMissingValue is off.`,
  );
}

function readGasLimit(capabilities: Fields, path: string): bigint | undefined {
  if (capabilities.gasLimitOverride === undefined) return undefined;
  const override = readFields(capabilities.gasLimitOverride, `${path}.gasLimitOverride`);
  // Nodes count gas in 64 bits.
  return readInteger(override.value, `${path}.gasLimitOverride.value`, 64);
}

function readCapabilities(fields: Fields, path: string): Fields {
  return fields.capabilities === undefined ? {} : readFields(fields.capabilities, `${path}capabilities`);
}

function findLacking(capabilities: Fields, path: string, supported: readonly string[]): string[] {
  return Object.entries(capabilities)
    .filter(([name, capability]) => capability !== undefined && !supported.includes(name))
    .filter(([, capability]) => !(isObject(capability) && capability.optional === true))
    .map(([name]) => `${path}.${name}`);
}
