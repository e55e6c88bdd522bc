import { readWallClock } from "@hardhat-identity/protocol/chain/clock";
import type { Hex } from "@hardhat-identity/protocol/hex";
import type { Kysely } from "kysely";
import { itemsOf, pageByKey } from "../database/paging.ts";
import type { Schema } from "../database/schema.ts";

/** The policy that a contract is held to: the first one that the service answered a request for. */
export interface Pin {
  readonly chainId: number;
  /** EIP-55 checksummed. */
  readonly consumer: string;
  /** 32 bytes hex. */
  readonly policyHash: Hex;
  /** The highest cutoff seen so far. */
  readonly cutoffBlock: bigint;
  /** The number of rises of the cutoff, counted since `risesSince` (unix seconds). */
  readonly cutoffRises: number;
  readonly risesSince: number;
  /** Unix seconds. */
  readonly pinnedAt: number;
}

type PinPlace = Pick<Pin, "chainId" | "consumer">;
type RaisedCutoff = Pick<Pin, "cutoffBlock" | "cutoffRises" | "risesSince">;

/** The pins: one for each chain and contract. */
export interface PinStore {
  /**
   * Pins a policy, unless the contract has a pin. Returns the contract's pin, which is the same for every replica.
   *
   * @param requestId For the audit trail.
   */
  pin(
    policy: Pick<Pin, "chainId" | "consumer" | "policyHash" | "cutoffBlock">,
    requestId?: string,
  ): Promise<Pin>;
  /** Records a higher cutoff, unless the pin has changed meanwhile. Returns whether it did. */
  raiseCutoff(pin: Pin, raised: RaisedCutoff, requestId?: string): Promise<boolean>;
  /** Finds the pin of a contract on a chain. */
  findPin(place: PinPlace): Promise<Pin | undefined>;
  /** Finds the pins of a contract on all chains. Reads every pin of the store. */
  findPins(consumer: string): Promise<Pin[]>;
  /** Lists a page of the pins, ordered by chain and contract; those after `after`, if given. */
  listPins(page?: { after?: PinPlace }): Promise<Pin[]>;
  /** Deletes the pins of a contract on all chains, and returns them. */
  resetPins(consumer: string): Promise<Pin[]>;
}

export function createPinStore(db: Kysely<Schema>): PinStore {
  const rows = db.selectFrom("pins").selectAll();

  async function findPin({ chainId, consumer }: PinPlace): Promise<Pin | undefined> {
    const row = await rows
      .where("chain_id", "=", chainId)
      .where("consumer", "=", consumer)
      .executeTakeFirst();
    return row && read(row);
  }

  async function raiseCutoff(
    { chainId, consumer, policyHash, cutoffBlock }: Pin,
    raised: RaisedCutoff,
  ): Promise<boolean> {
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
  }

  return {
    async pin(policy) {
      for (;;) {
        const pin = await findPin(policy);
        if (pin !== undefined) return pin;
        const now = readWallClock();
        await db
          .insertInto("pins")
          .values(write({ ...policy, cutoffRises: 0, risesSince: now, pinnedAt: now }))
          .onConflict((conflict) => conflict.columns(["chain_id", "consumer"]).doNothing())
          .execute();
      }
    },
    raiseCutoff,
    findPin,
    async findPins(consumer) {
      return (await rows.where("consumer", "=", consumer).execute()).map(read);
    },
    async listPins({ after } = {}) {
      const place = after && { chain_id: after.chainId, consumer: after.consumer };
      return (await pageByKey(db, "pins")({ after: place })).map(read);
    },
    async resetPins(consumer) {
      return (await db.deleteFrom("pins").where("consumer", "=", consumer).returningAll().execute()).map(
        read,
      );
    },
  };
}

/** Reads every pin of a store, in order, with one page in memory at a time. */
export const everyPin = ({ listPins }: Pick<PinStore, "listPins">): AsyncGenerator<Pin> => itemsOf(listPins);

const write = (pin: Pin): Schema["pins"] => ({
  chain_id: pin.chainId,
  consumer: pin.consumer,
  policy_hash: pin.policyHash,
  cutoff_block: String(pin.cutoffBlock),
  cutoff_rises: pin.cutoffRises,
  rises_since: pin.risesSince,
  pinned_at: pin.pinnedAt,
});

const read = (row: Schema["pins"]): Pin => ({
  chainId: Number(row.chain_id),
  consumer: row.consumer,
  policyHash: row.policy_hash as Hex,
  cutoffBlock: BigInt(row.cutoff_block),
  cutoffRises: row.cutoff_rises,
  risesSince: Number(row.rises_since),
  pinnedAt: Number(row.pinned_at),
});
