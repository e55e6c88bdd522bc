// `@hardhat-identity/signer/keys`: signing keys, and the curve and hashes that they need.
export type { Curve } from "./internal/curve/curve.ts";
export { openHashes } from "./internal/curve/hashes.ts";
export { openCurve } from "./internal/curve/openCurve.ts";
export { type KeySource, KeyUnavailableError } from "./internal/keys/keySource.ts";
export { openKeySource } from "./internal/keys/openKeySource.ts";
