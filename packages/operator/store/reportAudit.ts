import { type Refusals, refusalReasons } from "@hardhat-identity/store/audit/refusals";
import { withExistingStore } from "@hardhat-identity/store/database/operateStore";
import type { StoreAccess } from "@hardhat-identity/store/database/properties";
import type { Schema } from "@hardhat-identity/store/database/schema";
import type { Kysely } from "kysely";
import { listAudit } from "./operateTrail.ts";

/** Requests of a day, or of all days. It names no person. */
export interface Counts {
  readonly signed: number;
  /** The number of different identities among the signed verifications. */
  readonly identities: number;
  /** The number of refused requests by reason, the service's error code. */
  readonly refused: Readonly<Record<string, number>>;
}

/** The verifications that the service signed for a contract, and the requests that it refused. */
export interface AuditReport extends Counts {
  readonly contract: string;
  readonly chainId: number;
  /** Whether older entries of the asked time were removed from the trail. */
  readonly isCut: boolean;
  /** All days from the first to the last with a request, in UTC. */
  readonly days: readonly (Counts & { readonly day: string })[];
}

const dayMs = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/**
 * Counts what a store's audit trail has for a contract, and its refused requests, without verifying the trail. Services may
 * be using the store.
 *
 * @param options.contract EIP-55 checksummed.
 * @param options.since Unix milliseconds; refused requests are counted from that day on.
 * @param onProblem Called with the problem of each row that cannot be read.
 * @throws InvalidInputError when the store cannot be opened with this secret.
 */
export async function reportAudit(
  options: StoreAccess & { readonly contract: string; readonly since?: number | undefined },
  onProblem: (problem: string) => void,
): Promise<AuditReport> {
  const { contract, since = 0 } = options;
  const { chainId, refusals } = await withExistingStore(options, "read", async ({ database, identity }) => {
    const place = { chainId: identity.chainId, consumer: contract, day: dayOf(since) };
    return { chainId: identity.chainId, refusals: await readRefusals(database.db, place) };
  });
  const signed = new Map<string, { count: number; identities: Set<string> }>();
  const everyone = new Set<string>();
  let isCut = false;
  await listAudit(
    {
      ...options,
      onRemoved: () => {
        isCut = true;
      },
    },
    (entry) => {
      if (entry.event !== "verification-signed" || entry.chainId !== chainId) return;
      const identity = shorten(entry.identityHash);
      const day = dayOf(entry.at);
      const ofDay = signed.get(day) ?? { count: 0, identities: new Set() };
      ofDay.count++;
      ofDay.identities.add(identity);
      signed.set(day, ofDay);
      everyone.add(identity);
    },
    onProblem,
  );
  const days = listDays([...signed.keys(), ...refusals.map(({ day }) => day)]).map((day) => ({
    day,
    signed: signed.get(day)?.count ?? 0,
    identities: signed.get(day)?.identities.size ?? 0,
    refused: countByReason(refusals.filter((each) => each.day === day)),
  }));
  return {
    contract,
    chainId,
    isCut,
    signed: days.reduce((sum, day) => sum + day.signed, 0),
    identities: everyone.size,
    refused: countByReason(refusals),
    days,
  };
}

/** A hash in half the memory: a character for each byte. */
const shorten = (hash: string) => Buffer.from(hash.slice(2), "hex").toString("latin1");

const countByReason = (refusals: readonly Refusals[]) =>
  Object.fromEntries(
    refusalReasons.map((reason) => [
      reason,
      refusals.filter((each) => each.reason === reason).reduce((sum, { count }) => sum + count, 0),
    ]),
  );

/** All days from the first to the last of these. */
function listDays(days: readonly string[]): string[] {
  const sorted = [...new Set(days)].sort();
  const [first, last] = [sorted[0], sorted.at(-1)].map((day) => Date.parse(day ?? ""));
  const listed: string[] = [];
  for (let time = first ?? 0; time <= (last ?? 0); time += dayMs) listed.push(dayOf(time));
  return listed;
}

/** Reads the counts of a contract, from a day on, in order of the days. */
async function readRefusals(
  db: Kysely<Schema>,
  { chainId, consumer, day }: Pick<Refusals, "chainId" | "consumer" | "day">,
): Promise<Refusals[]> {
  const rows = await db
    .selectFrom("refusals")
    .selectAll()
    .where("chain_id", "=", chainId)
    .where("consumer", "=", consumer)
    .where("day", ">=", day)
    .orderBy("day")
    .orderBy("reason")
    .execute();
  return rows.map(({ chain_id: chain, count, ...row }) => ({
    ...row,
    chainId: Number(chain),
    count: Number(count),
  }));
}
