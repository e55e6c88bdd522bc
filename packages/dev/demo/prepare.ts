import { knownAccounts } from "@hardhat-identity/verify-page/shared/wallets";
import { connectNode, type DemoNode, findUnused, readGenesis, readKnown } from "./chain.ts";
import { type DemoConfig, findUnreached, readConfig, type ServedConfig } from "./config.ts";
import { firstRound, recall } from "./memory.ts";
import { type Demo, emptyDemo, reduce } from "./state.ts";
import { countRounds, storyContract, walletsOf } from "./story.ts";

/** The facts that the demo loads before the first claim. */
export interface Prepared {
  readonly config: DemoConfig;
  readonly node: DemoNode;
  readonly accounts: readonly string[];
  /** The chain's genesis hash. */
  readonly chain: string;
  readonly demo: Demo;
}

/** The browser has this page, and does not reach what else the stack consists of. */
export class NotForwarded extends Error {
  readonly config: ServedConfig;
  readonly unreached: readonly string[];
  constructor(config: ServedConfig, unreached: readonly string[]) {
    super(`Nothing answers at ${unreached.join(", ")}.`);
    this.config = config;
    this.unreached = unreached;
  }
}

// Read once: looking at it takes the query away.
const query = new URLSearchParams(location.search);
if (location.search !== "") history.replaceState(null, "", location.pathname);

/** @throws NotForwarded, NodeFailure or ServiceFailure */
export async function prepare(): Promise<Prepared> {
  const config = await readConfig();
  const node = connectNode(config.rpcUrl);
  const contract = config.consumers[storyContract] ?? "";
  const reading = Promise.all([readGenesis(node), knownAccounts(node), readKnown(node, contract)]);
  // Where the node is not reached, that is told.
  reading.catch(() => undefined);
  const unreached = await findUnreached(config);
  if (unreached.length > 0) throw new NotForwarded(config, unreached);
  const [chain, accounts, known] = await reading;
  // Another tab, or a command, may have claimed with the first wallets.
  const first = firstRound(chain);
  const kept = recall(chain);
  const unused = kept?.round ?? (await findUnusedRound(node, accounts, first));
  const round = unused ?? Math.max(first, 1);
  // A later round opens a contract of its own.
  const isUsed = unused === undefined;
  const demo = kept ?? { ...emptyDemo, round, isUsed, known: round === 0 ? known : [] };
  return { config, node, accounts, chain, demo: reduce(demo, { type: "return", query }) };
}

/** The first round from this one on whose wallets have claimed nothing, if there is one. */
export async function findUnusedRound(
  node: DemoNode,
  accounts: readonly string[],
  from: number,
): Promise<number | undefined> {
  const unused = await findUnused(node, accounts);
  const rounds = Array.from({ length: countRounds(accounts) }, (_, i) => from + i);
  return rounds.find((round) => Object.values(walletsOf(accounts, round)).every((each) => unused.has(each)));
}
