import { isAddress } from "./address.ts";

/** An unsigned integer as the ABI encodes it: 64 hex digits, without `0x`. */
export function uintWord(value: bigint | number, bits = 256): string {
  const integer = BigInt(value);
  if (BigInt.asUintN(bits, integer) !== integer) throw new RangeError(`${value} is no uint${bits}.`);
  return integer.toString(16).padStart(64, "0");
}

/** An address, in any casing, as the ABI encodes it: 64 hex digits, without `0x`. */
export function addressWord(address: string): string {
  if (!isAddress(address)) throw new TypeError(`${JSON.stringify(address)} is no address.`);
  return address.slice(2).toLowerCase().padStart(64, "0");
}

/** 32 bytes of hex as the ABI encodes them: 64 hex digits, without `0x`. */
export function bytes32Word(bytes: string): string {
  if (!/^0x[0-9a-fA-F]{64}$/.test(bytes)) throw new TypeError("What should be 32 bytes of hex is none.");
  return bytes.slice(2);
}
