import type { AbiParameter } from "./types.ts";

/** A parameter's canonical type, as it counts for the selector. */
export function writeType({ type, components }: AbiParameter): string {
  return type.startsWith("tuple") && components
    ? `(${components.map(writeType).join(",")})${type.slice("tuple".length)}`
    : type;
}
