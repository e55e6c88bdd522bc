import type { Chain } from "@hardhat-identity/protocol/chain/connect";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { type Curve, KeyUnavailableError, openKeySource } from "@hardhat-identity/signer/keys";
import { type Brake, openBrake } from "./brake.ts";
import type { WatchSettings } from "./settings.ts";

const setting = "IDENTITY_GUARDIAN_KEY";

/**
 * Opens the guardian's brake at its first use, and keeps it.
 *
 * @returns Throws KeyUnavailableError while the holder of the key is away.
 */
export function guardianBrake(
  { guardianKey, chainId, registry }: WatchSettings,
  chain: Chain,
  curve: Curve,
): () => Promise<Brake> {
  let brake: Brake | undefined;
  return async () => {
    if (guardianKey === undefined)
      throw new InvalidInputError(`${setting} is not set; --brake needs the key of a guardian.`);
    if (brake !== undefined) return brake;
    const key = await openKeySource(guardianKey, setting, curve).catch((error: Error) => {
      throw error.cause instanceof KeyUnavailableError ? error.cause : error;
    });
    // Its calls do not wait for a turn behind what the watch reads.
    brake = openBrake({ request: (call) => chain.open().request(call) }, { chainId, registry, key });
    return brake;
  };
}
