import { readRegistry } from "@hardhat-identity/protocol/chain/registry";
import { describeValue } from "@hardhat-identity/protocol/describeValue";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { type Hex, isHex } from "@hardhat-identity/protocol/hex";
import { type CheckResult, checkVerification } from "../consumer/check.ts";
import {
  type AddressLike,
  checkMembers,
  readAddress,
  readOptionalAddress,
  readSeconds,
  type Seconds,
} from "./arguments.ts";
import { compareUse, type Remembered } from "./explain.ts";

/** A verification, and the wallet and consumer to check it for. */
export interface CheckOptions {
  readonly consumer: AddressLike;
  /** The wallet that would call the consumer. */
  readonly user: AddressLike;
  readonly identityHash: Hex;
  /** Unix seconds. */
  readonly expiration: Seconds;
  readonly signature: Hex;
  /** The same three values, as `mint` returns them. Ignored. */
  readonly args?: unknown;
  /** Defaults to the consumer's `registry()`. */
  readonly registry?: AddressLike | undefined;
}

const known = ["consumer", "user", "identityHash", "expiration", "signature", "args", "registry"];

/** Checks a verification with the registry, and explains a refusal with what the connection remembers of it. */
export async function checkForTest(
  node: Eip1193Connection,
  { bindings }: Remembered,
  options: CheckOptions,
): Promise<CheckResult> {
  checkMembers("identity.check", options, known);
  const consumer = readAddress("consumer", options.consumer);
  const user = readAddress("user", options.user);
  const verification = {
    identityHash: readHex("identityHash", options.identityHash, 32),
    expiration: readSeconds("expiration", options.expiration),
    signature: readHex("signature", options.signature),
  };
  const registry = readOptionalAddress("registry", options.registry) ?? (await readRegistry(node, consumer));
  const result = await checkVerification(node, { ...verification, consumer, user, registry });
  const binding = bindings.get(verification.signature.toLowerCase());
  if (result.valid || binding === undefined || !result.revert?.startsWith("NotSigner(")) return result;
  const reason = await compareUse(node, binding, { ...verification, consumer, user, registry });
  return { ...result, reason };
}

function readHex(name: string, value: unknown, bytes?: number): Hex {
  if (isHex(value, bytes)) return value;
  const wanted = bytes === undefined ? "bytes as hex after 0x" : `${bytes} bytes as hex after 0x`;
  throw new InvalidInputError(`${name} must be ${wanted}, got ${describeValue(value)}.`);
}
