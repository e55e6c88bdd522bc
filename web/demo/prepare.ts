import { knownAccounts } from "../shared/wallets.ts";
import { releaseForgotten } from "./block.ts";
import { connectNode, type DemoNode, findUnused, readGenesis } from "./chain.ts";
import { type DemoConfig, findUnreached, readConfig, type ServedConfig } from "./config.ts";
import { firstRound, recall } from "./memory.ts";
import { type Demo, emptyDemo, reduce } from "./state.ts";
import { countRounds, walletsOf } from "./story.ts";

/** What has to be known before anything can be tried. */
export interface Prepared {
  readonly config: DemoConfig;
  readonly node: DemoNode;
  readonly accounts: readonly string[];
  /** What tells this chain from another. */
  readonly chain: string;
  readonly demo: Demo;
  /** Whether a block was still held back, and has been mined. */
  readonly wasHeld: boolean;
}

/** The browser has this page, and does not reach what else the stack consists of. */
export class NotForwarded extends Error {
  readonly config: ServedConfig;
  readonly unreached: readonly string[];

  constructor(config: ServedConfig, unreached: readonly string[]) {
    super();
    this.config = config;
    this.unreached = unreached;
  }
}

// Read once: looking at it takes the query away.
const query = new URLSearchParams(location.search);
if (query.size > 0) history.replaceState(null, "", location.pathname);

/** @throws NotForwarded, NodeFailure or ServiceFailure */
export async function prepare(): Promise<Prepared> {
  const config = await readConfig();
  const node = connectNode(config.rpcUrl);
  const reading = releaseForgotten(node).then(async (wasHeld) => {
    const [chain, accounts] = await Promise.all([readGenesis(node), knownAccounts(node)]);
    return { wasHeld, chain, accounts };
  });
  // Where the node is not reached, that is told.
  reading.catch(() => undefined);
  const unreached = await findUnreached(config);
  if (unreached.length > 0) throw new NotForwarded(config, unreached);
  const { wasHeld, chain, accounts } = await reading;
  const demo = recall(chain) ?? (await beginFresh(node, accounts, firstRound(chain)));
  return { config, node, accounts, chain, demo: reduce(demo, { type: "return", query }), wasHeld };
}

/** Begins where nobody has been: another tab, or a command, may have claimed with the first wallets. */
async function beginFresh(node: DemoNode, accounts: readonly string[], first: number): Promise<Demo> {
  const round = (await findUnusedRound(node, accounts, first)) ?? Math.max(first, 1);
  return { ...emptyDemo, round };
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
