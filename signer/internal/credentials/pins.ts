import type { Kysely } from "kysely";
import { readWallClock } from "../../../chain/clock.ts";
import type { Hex } from "../../../protocol/hex.ts";
import type { Schema } from "./schema.ts";

/** What a contract is held to: the first policy that the service answered for. */
export interface Pin {
  readonly chainId: number;
  /** EIP-55 checksummed. */
  readonly consumer: string;
  /** 32 bytes hex. */
  readonly policyHash: Hex;
  /** The highest that was seen. */
  readonly cutoffBlock: bigint;
  /** How often it rose, and since when that is counted, unix seconds. */
  readonly cutoffRises: number;
  readonly risesSince: number;
  /** Unix seconds. */
  readonly pinnedAt: number;
}

/** The pins: one for each chain and contract. */
export interface PinStore {
  /** Pins a policy, unless the contract has a pin. Answers its pin, the same one to every replica. */
  pin(policy: Pick<Pin, "chainId" | "consumer" | "policyHash" | "cutoffBlock">): Promise<Pin>;
  /** Notes that the cutoff rose; answers whether the pin was still the one that is given. */
  raiseCutoff(pin: Pin, raised: Pick<Pin, "cutoffBlock" | "cutoffRises" | "risesSince">): Promise<boolean>;
  /** What a contract is held to, on every chain. */
  findPins(consumer: string): Promise<Pin[]>;
  /** All pins, ordered by chain and contract. */
  listPins(): Promise<Pin[]>;
  /** Forgets what a contract is held to, on every chain. Answers the pins that it had. */
  resetPins(consumer: string): Promise<Pin[]>;
}

export function createPinStore(db: Kysely<Schema>): PinStore {
  const rows = db.selectFrom("pins").selectAll();
  return {
    async pin({ chainId, consumer, policyHash, cutoffBlock }) {
      for (;;) {
        const row = await rows
          .where("chain_id", "=", chainId)
          .where("consumer", "=", consumer)
          .executeTakeFirst();
        if (row !== undefined) return read(row);
        const now = readWallClock();
        await db
          .insertInto("pins")
          .values({
            chain_id: chainId,
            consumer,
            policy_hash: policyHash,
            cutoff_block: String(cutoffBlock),
            cutoff_rises: 0,
            rises_since: now,
            pinned_at: now,
          })
          .onConflict((conflict) => conflict.columns(["chain_id", "consumer"]).doNothing())
          .execute();
      }
    },
    async raiseCutoff({ chainId, consumer, policyHash, cutoffBlock }, raised) {
      const { numUpdatedRows } = await db
        .updateTable("pins")
        .set({
          cutoff_block: String(raised.cutoffBlock),
          cutoff_rises: raised.cutoffRises,
          rises_since: raised.risesSince,
        })
        .where("chain_id", "=", chainId)
        .where("consumer", "=", consumer)
        .where("policy_hash", "=", policyHash)
        .where("cutoff_block", "=", String(cutoffBlock))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async findPins(consumer) {
      return (await rows.where("consumer", "=", consumer).execute()).map(read);
    },
    async listPins() {
      return (await rows.orderBy("chain_id").orderBy("consumer").execute()).map(read);
    },
    async resetPins(consumer) {
      return (await db.deleteFrom("pins").where("consumer", "=", consumer).returningAll().execute()).map(
        read,
      );
    },
  };
}

const read = (row: Schema["pins"]): Pin => ({
  chainId: Number(row.chain_id),
  consumer: row.consumer,
  policyHash: row.policy_hash as Hex,
  cutoffBlock: BigInt(row.cutoff_block),
  cutoffRises: row.cutoff_rises,
  risesSince: Number(row.rises_since),
  pinnedAt: Number(row.pinned_at),
});
