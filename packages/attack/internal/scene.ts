// The moves that attacks are made of: claims, changed in one thing, and states of the chain.

import { checksumAddress } from "@hardhat-identity/protocol/address";
import { PolicyError } from "@hardhat-identity/protocol/chain/policy";
import { describeRevert } from "@hardhat-identity/protocol/reverts";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { id } from "ethers";
import { isCodeOf } from "hardhat-identity/internal/consumer/compiledContract";
import { readCode } from "hardhat-identity/internal/consumer/erc1967";
import { readContracts } from "hardhat-identity/internal/consumer/knownContracts";
import { type MintOptions, mintVerifications } from "hardhat-identity/internal/consumer/mint";
import type {
  AttackConnection,
  AttackOptions,
  Claim,
  ClaimContext,
  ClaimWallet,
  Compiled,
  Step,
} from "hardhat-identity/internal/testing/attack";
import { withArguments } from "hardhat-identity/internal/testing/mint";
import { type Edit, readFunctions } from "./calldata.ts";
import { type Door, type EntryPoint, isReadable, readDoors } from "./functions.ts";
import { gainsOf, hashesOf } from "./gains.ts";
import {
  called,
  type Found,
  type Gains,
  madeUp,
  type Play,
  rogueKey,
  type Target,
  wallets,
  withEdit,
} from "./play.ts";
import { locate, Recorded } from "./recorded.ts";
import { type Passage, type Run, runClaim } from "./recorder.ts";
import { signInTheOpen } from "./sign.ts";
import { type Call, type Done, mergeDone, type Outcome, type Stage } from "./stage.ts";

/** How a claim is played. */
export type SceneOptions = Pick<AttackOptions, "prepare" | "admitted" | "upgrade"> & {
  /** The account that claims for the wallets. */
  readonly sender?: string | undefined;
};

/** The traces of a claim that other functions take. */
interface Learned {
  /** Its own words, and the hashes in its events, answer and storage. */
  readonly words: readonly string[];
  readonly texts: readonly string[];
  /** The transactions after the one that takes the verification. */
  readonly rest: readonly { readonly call: Call; readonly done: Done }[];
}

/** A recorded claim, and the state of its chain. */
export class Scene {
  readonly stage: Stage;
  readonly target: Target;
  readonly wallets = wallets;
  readonly sender: string | undefined;
  /** The contract's functions that take a verification in a usual form. */
  readonly entryPoints: readonly EntryPoint[];
  /** Words that the contract names, such as its roles. */
  words: readonly string[] = [];
  /** A stranger's registry, which no contract should ask. */
  rogueRegistry = "";
  /** The contracts of the attacks. */
  readonly intruders = new Set<string>();
  /** The calls that the claim makes the contract make at other contracts. */
  made: readonly Door[] = [];
  /** All functions of the contract that change state. */
  readonly #doors: readonly Door[];
  readonly #claim: Claim;
  readonly #options: SceneOptions;
  readonly #connection: AttackConnection;
  readonly #opened = new Map<string, ClaimWallet>();
  readonly #gains = new Map<string, Gains>();
  #recorded: Recorded | undefined;
  /** The number of the transaction that takes the verification. */
  #at: number | undefined;
  /** The number of transactions that the claim sends before it. */
  get earlier(): number {
    return this.#at ?? 0;
  }
  /** The number of transactions that the claim sends after it. */
  later = 0;
  #steps: Step[] = [];
  /** The hashes and texts that the last claim told. */
  learned: Learned = { words: [], texts: [], rest: [] };
  /** The events on the chain since the beginning, in words. */
  #state = "";
  #claims = 0;

  constructor(
    stage: Stage,
    target: Target,
    claim: Claim,
    options: SceneOptions,
    connection: AttackConnection,
  ) {
    this.stage = stage;
    this.target = target;
    this.sender = options.sender;
    const { entryPoints, others } = readDoors(target.abi);
    this.entryPoints = entryPoints;
    this.#doors = [...others, ...entryPoints];
    this.#claim = claim;
    this.#options = options;
    this.#connection = connection;
  }

  /** The recorded call. */
  get recorded(): Recorded {
    if (this.#recorded === undefined) throw new Error("nothing was recorded");
    return this.#recorded;
  }

  /** The name of the function that claims. */
  get entryPoint(): string {
    return this.#recorded?.entryPoint ?? `the claim at ${this.target.address}`;
  }

  /** The function's bare name, as in a sentence. */
  get short(): string {
    return this.recorded.short;
  }

  /** The contract's other functions that change state. */
  get doors(): readonly Door[] {
    const own = this.#recorded?.entry?.format("sighash");
    return this.#doors.filter(({ name }) => name !== own);
  }

  /** Opens an account with the project's toolbox. */
  async open(address: string): Promise<ClaimWallet> {
    await this.stage.act(address);
    const known = this.#opened.get(address) ?? (await this.#connection.openWallet(address));
    this.#opened.set(address, known);
    return known;
  }

  /** Lets the developer prepare an account. */
  async prepare(address: string): Promise<void> {
    const wallet = await this.open(address);
    await this.#options.prepare?.(wallet);
  }

  /** Records the claim; answers why it is refused, if it is. */
  async record(): Promise<Outcome> {
    return this.branch(async () => {
      const verification = await this.mint();
      const run = await this.#run({ verification }, {});
      const words = [verification.identityHash, verification.signature.slice(0, 130)];
      const has = ({ data }: Call) => words.some((word) => data.toLowerCase().includes(word.slice(2)));
      const at = run.calls.findLastIndex(has);
      this.#at = at === -1 ? run.calls.length - 1 : at;
      this.later = run.calls.length - 1 - this.#at;
      const outcome = await this.#judge(run, verification, {});
      const call = run.calls[this.#at];
      if ("revert" in outcome || call === undefined) return outcome;
      const artifacts = () => this.#artifacts();
      const place = await locate(this.stage, this.target, artifacts, call, verification, outcome.done);
      this.#recorded = new Recorded(this.target, call, verification, place, run.signed);
      this.made = await this.#readMade(outcome.done);
      return outcome;
    });
  }

  /** Reads which calls the contract made at others, by the ABIs that the project has. */
  async #readMade({ made }: Done): Promise<Door[]> {
    const { address, registry } = this.target;
    const others = new Map<string, Door>();
    for (const { from, to, data } of made) {
      if (from !== address || [address, registry].includes(to) || data.length < 10) continue;
      const fragment = await this.#fragmentOf(to, data);
      const name = `${to}.${fragment ?? `${data.slice(0, 10)}()`}`;
      if (!others.has(name))
        others.set(name, { name, fragment: undefined, payable: false, made: { to, data } });
    }
    return [...others.values()];
  }

  async #fragmentOf(to: string, data: string): Promise<string | undefined> {
    const code = await readCode(this.stage.node, to);
    const known = (await this.#artifacts()).find((each) => isCodeOf(code, each));
    const abi = known?.abi.filter(isReadable) ?? [];
    return readFunctions(abi).getFunction(data.slice(0, 10))?.format("sighash");
  }

  /** Composes a finding from the transactions so far. */
  found(message: string, more: Pick<Found, "entryPoint" | "change"> = {}): Found {
    return { message, ...more, transactions: [...this.#steps] };
  }

  /** Runs something from the present state, and takes it back. */
  async branch<T>(run: () => Promise<T>): Promise<T> {
    const before = {
      steps: this.#steps,
      state: this.#state,
      claims: this.#claims,
      learned: this.learned,
    };
    this.#steps = [...before.steps];
    try {
      return await this.stage.undone(run);
    } finally {
      this.#steps = before.steps;
      this.#state = before.state;
      this.#claims = before.claims;
      this.learned = before.learned;
    }
  }

  /** Lets time pass. */
  async pass(seconds: number): Promise<void> {
    await this.stage.pass(seconds);
    this.#state += `\n${seconds} s`;
  }

  /** Marks the state as another, after something that is no transaction of an attack. */
  note(what: string): void {
    this.#state += `\n${what}`;
  }

  /** Sends a transaction and keeps it as a step, if it succeeds. */
  async send(what: string, call: Call): Promise<Outcome> {
    const outcome = await this.stage.send(call);
    this.note(`${what} ${call.from} ${call.data}`);
    if ("done" in outcome) this.#keep(what, call, outcome.done.hash);
    return outcome;
  }

  #keep(what: string, { from, to, data, value = 0n }: Call, hash: string): void {
    this.#steps.push({ what, from, to, data, value: String(value), hash });
  }

  /** Mints a verification that the registry accepts unless `mint` says otherwise, with what it is bound to. */
  async mint(play: Play = {}) {
    const [minted] = await this.mintAll([play]);
    if (minted === undefined) throw new Error("nothing was minted");
    return minted;
  }

  /** Mints verifications for several wallets at once. */
  async mintAll(plays: readonly Play[]) {
    const { address, registry } = this.target;
    const asked = plays.map(({ wallet: user = wallets.first, identity = "alice", mint }) => ({
      user,
      identity,
      registry,
      ...mint,
    }));
    const all = await mintVerifications(this.stage.node, address, asked, signInTheOpen);
    return all.map(({ verification, binding }) => ({ ...binding, ...verification }));
  }

  async #artifacts(): Promise<Compiled[]> {
    const { artifacts } = this.#connection;
    return artifacts === undefined ? [] : readContracts(artifacts);
  }

  /** The differences in a verification that only the stranger's registry accepts. */
  get rogueMint(): Partial<MintOptions> {
    return { registry: this.rogueRegistry, signingKey: rogueKey };
  }

  async #verificationOf(play: Play): Promise<SignedVerification> {
    const { verification } = play;
    if (typeof verification === "object") return verification;
    const valid = await this.mint(play);
    return verification === undefined ? valid : verification(valid);
  }

  async #run(play: Play, passage: Passage): Promise<Run> {
    const { wallet = wallets.first, verification = madeUp, sender = this.sender } = play;
    if (typeof verification === "function") throw new Error("no verification");
    const opened = await this.open(wallet);
    const context = this.#contextOf(
      verification,
      opened,
      sender === undefined ? opened : await this.open(sender),
    );
    const { node } = this.stage;
    return runClaim(node, () => this.#claim(context), { ...passage, claimant: wallet });
  }

  #contextOf(verification: SignedVerification, wallet: ClaimWallet, sender: ClaimWallet): ClaimContext {
    const { identityHash, expiration, signature } = verification;
    const send = (transaction: object) =>
      this.stage.node.request({ method: "eth_sendTransaction", params: [transaction] });
    const minted = withArguments({ identityHash, expiration, signature });
    return { verification: minted, wallet, sender, unique: 1 + this.#claims, send };
  }

  /** Whether the developer has said how to upgrade the contract. */
  get canUpgrade(): boolean {
    return this.#options.upgrade !== undefined;
  }

  /** Upgrades the contract as its developer plans to; answers why that fails, if it does. */
  async upgrade(): Promise<string | undefined> {
    const { upgrade = async () => {} } = this.#options;
    const { calls, hashes, refusal } = await runClaim(this.stage.node, upgrade);
    this.note(`upgrade ${hashes}`);
    for (const [i, hash] of hashes.entries()) {
      const call = calls[i];
      if (call !== undefined) this.#keep("The contract is upgraded.", call, hash);
    }
    return refusal && this.sayRefusal(refusal);
  }

  /** Claims. A contract whose policy the service would not accept refuses everybody. */
  async play(play: Play = {}): Promise<Outcome> {
    try {
      const verification = await this.#verificationOf(play);
      const run = await this.#run({ ...play, verification }, { at: this.#at, edit: play.edit });
      return await this.#judge(run, verification, play);
    } catch (error) {
      if (error instanceof PolicyError) return { revert: "0x", said: error.message };
      throw error;
    }
  }

  async #judge(run: Run, verification: SignedVerification, play: Play): Promise<Outcome> {
    const { wallet = wallets.first, identity = "alice", edit } = play;
    ++this.#claims;
    this.note(`${this.#claims} ${wallet} ${identity} ${edit?.what} ${verification.signature}`);
    const all: Done[] = [];
    for (const [i, hash] of run.hashes.entries()) {
      const outcome = await this.stage.observe(hash);
      if ("revert" in outcome) return outcome;
      all.push(outcome.done);
      const call = run.calls[i];
      if (call !== undefined) this.#keep(this.#describe(call, play), call, hash);
    }
    if (run.refusal !== undefined) return run.refusal;
    const [one, ...more] = all;
    if (one === undefined) return { revert: "0x", said: "the claim sends no transaction on this connection" };
    const { admitted } = this.#options;
    if (admitted !== undefined) {
      const opened = await this.open(wallet);
      if (!(await admitted(this.#contextOf(verification, opened, opened)))) {
        return { revert: "0x", said: "admitted() answers false" };
      }
    }
    const done = more.reduce(mergeDone, one);
    this.#learn(run.calls, all, done);
    return { done };
  }

  #learn(calls: readonly Call[], all: readonly Done[], done: Done): void {
    const { [this.#at ?? 0]: call } = calls;
    const leaves = call === undefined ? [] : (this.#recorded?.leavesOf(call) ?? []);
    const of = (type: string) =>
      leaves.flatMap((leaf) => (leaf.type.type === type ? [String(leaf.value)] : []));
    const words = [...new Set([...of("bytes32"), ...hashesOf(done)])].slice(0, 4);
    const rest = calls.flatMap((each, i) => {
      const { [i]: own } = all;
      return i > (this.#at ?? 0) && own !== undefined ? [{ call: each, done: own }] : [];
    });
    this.learned = { words, texts: of("string").slice(0, 2), rest };
  }

  /** The function that a call makes, or the other contract that it calls. */
  nameOfCall({ to, data }: Call): string {
    const isOwn = to?.toLowerCase() === this.target.address.toLowerCase();
    const fragment = isOwn ? readFunctions(this.target.abi).getFunction(data.slice(0, 10)) : null;
    return fragment?.format("sighash") ?? to ?? "a new contract";
  }

  #describe(call: Call, { wallet = wallets.first, identity = "alice", edit }: Play): string {
    const { from } = call;
    const name = this.nameOfCall(call);
    const who = called.get(wallet) ?? wallet;
    const caller =
      checksumAddress(from) === wallet ? who : `For ${who[0]?.toLowerCase()}${who.slice(1)}, ${from}`;
    return `${caller} calls ${name} as ${identity}${edit === undefined ? "" : `, with ${edit.what}`}.`;
  }

  /** Returns the gains by a claim's own transaction, without those before it. */
  async ownGains(play: Play): Promise<Gains> {
    const [one] = await this.simulate(play, [undefined]);
    const [twin] = await this.simulate({ ...play, identity: "a neighbor" }, [undefined]);
    return one === undefined || twin === undefined ? { refusal: "" } : this.compare(one, twin);
  }

  /** Runs a claim up to the transaction that takes the verification, or to one `after` it. Earlier transactions stay. */
  async draft(play: Play, after = 0): Promise<Call | undefined> {
    const verification = await this.#verificationOf(play);
    const at = (this.#at ?? 0) + after;
    const run = await this.#run({ ...play, verification }, { at, edit: play.edit, isDraft: true });
    return run.draft;
  }

  /** Simulates a claim with one change after the other. */
  async simulate(play: Play, edits: readonly (Edit | undefined)[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    const simulate = (call: Call | undefined, edit: Edit | undefined) =>
      call === undefined ? { revert: "0x" } : this.stage.simulate(edit?.apply(call) ?? call);
    await this.branch(async () => {
      const call = await this.draft(play);
      for (const edit of edits) outcomes.push(await simulate(call, edit));
    });
    // Another amount may need another approval before, and another signature.
    for (const [i, edit] of edits.entries()) {
      const isEarlier = (this.#at !== 0 && edit?.before !== undefined) || edit?.sign !== undefined;
      if (!isEarlier || "done" in (outcomes[i] ?? {})) continue;
      outcomes[i] = await this.branch(async () => {
        const call = await this.draft(withEdit(play, edit));
        return simulate(call, undefined);
      });
    }
    return outcomes;
  }

  /** Returns the gains of people by a claim in this state: the effects that two of them have in common. */
  async gains(play: Play): Promise<Gains> {
    const key = JSON.stringify([
      this.#state,
      play.wallet,
      play.identity,
      play.edit?.what,
      play.mint,
      play.sender,
    ]);
    const known = this.#gains.get(key);
    if (known !== undefined) return known;
    const one = await this.branch(() => this.play(play));
    const twin = await this.branch(() =>
      this.play({ ...play, identity: `${play.identity ?? "alice"}'s neighbor` }),
    );
    const gains = this.compare(one, twin);
    this.#gains.set(key, gains);
    return gains;
  }

  /** Compares the claims of two people. */
  compare(one: Outcome, twin: Outcome): Gains {
    if ("revert" in one) return { refusal: this.sayRefusal(one) };
    const gains = gainsOf(one.done, twin, this.target.address);
    return gains === undefined
      ? { refusal: "it changes nothing in the contract's storage, and moves nothing" }
      : { gains, done: one.done };
  }

  /** Says why something was refused. */
  sayRefusal(outcome: Outcome): string {
    if ("done" in outcome) return "";
    if (outcome.revert === "0x" && outcome.said !== undefined) return outcome.said;
    return describeRevert(outcome.revert, { abis: [this.target.abi] }).text;
  }

  /** Whether only an account that the contract trusts can claim, for its users. */
  get isTrusted(): boolean {
    return this.sender !== undefined && checksumAddress(this.recorded.call.from) === this.sender;
  }

  /** Whether another contract calls the consumer for the wallet. */
  get isRelayed(): boolean {
    const { to } = this.recorded.call;
    return this.sender !== undefined || (to !== undefined && checksumAddress(to) !== this.target.address);
  }

  /** The name of an account in a sentence. */
  nameOf(account: string): string {
    return account === this.target.owner ? "The owner" : (called.get(account) ?? account);
  }

  /** Composes a call of a getter without arguments. */
  asking(getter: string, call: Partial<Call> = {}): Call {
    const data = id(getter).slice(0, 10);
    return { from: wallets.stranger, to: this.target.address, data, ...call };
  }

  /** Asks a getter without arguments; `undefined` if it reverts. */
  async ask(getter: string): Promise<string | undefined> {
    return this.stage.ask(this.asking(getter));
  }
}
