import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { requireCancun } from "hardhat-identity/internal/requireCancun";
import type { Deployable } from "hardhat-identity/internal/testing/attack";
import { attackConsumer, type Rehearsal, type RehearsalOptions } from "./attackConsumer.ts";
import { deployForAttack } from "./deploy.ts";
import { openStage } from "./stage.ts";

/**
 * Deploys a compiled contract, attacks it, and takes everything back.
 *
 * @param all The project's contracts, among which earlier versions may be.
 * @throws InvalidInputError as {@link deployForAttack} and {@link attackConsumer} do.
 */
export async function attackContract(
  node: Eip1193Connection,
  contract: Deployable,
  all: readonly Deployable[],
  options: RehearsalOptions,
): Promise<Rehearsal> {
  const stage = await openStage(node);
  await requireCancun(node);
  // An earlier version may have the same name in another file.
  const others = all.filter(
    ({ contractName, sourceName }) =>
      contractName !== contract.contractName || sourceName !== contract.sourceName,
  );
  return await stage.undone(async () => {
    const attacked = await deployForAttack(stage, contract, options.args, others);
    return await attackConsumer(node, attacked, options);
  });
}
