// The moves that attacks are made of: claims, changed in one thing, and states of the chain.
import { PolicyError } from "@hardhat-identity/chain/policy";
import { readArtifact } from "@hardhat-identity/ignition/artifacts";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { describeRevert } from "@hardhat-identity/protocol/reverts";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import {
  AbiCoder,
  concat,
  type FunctionFragment,
  Interface,
  id,
  MaxUint256,
  type ParamType,
  toBeHex,
  zeroPadValue,
} from "ethers";
import { type AbiEntry, isCodeOf } from "hardhat-identity/internal/consumer/compiledContract";
import { findImplementation, readCode } from "hardhat-identity/internal/consumer/erc1967";
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
import { accountOf, attackWallets } from "../wallets.ts";
import {
  type Arguments,
  countOf,
  type Edit,
  type Inner,
  insideOf,
  type Leaf,
  listLeaves,
  otherValues,
  outermost,
  readArguments,
  readFunctions,
  setValue,
  substitute,
} from "./calldata.ts";
import { type Effect, overlap, shared } from "./effect.ts";
import { type Door, type EntryPoint, encode, isReadable, readDoors, short } from "./functions.ts";
import { type Choice, choices, invent } from "./invent.ts";
import { type Passage, type Run, runClaim } from "./recorder.ts";
import { signInTheOpen } from "./sign.ts";
import { type Call, type Done, mergeDone, type Outcome, type Stage, wealth } from "./stage.ts";

/** The contract under attack. */
export interface Target {
  readonly name: string;
  readonly address: string;
  readonly abi: readonly AbiEntry[];
  readonly registry: string;
  /** The account with special rights; `undefined` if none is known. */
  readonly owner: string | undefined;
}

/** A fault that was shown on the chain. */
export interface Found {
  /** The fault and its remedy. */
  readonly message: string;
  /** The function at which it goes wrong, if it is not the one that claims. */
  readonly entryPoint?: string | undefined;
  readonly change?: string | undefined;
  /** The transactions that show it. */
  readonly transactions: readonly Step[];
}

/** A claim, and how it differs from the first wallet's claim as alice. */
export interface Play {
  readonly wallet?: string | undefined;
  /** Name of a person. */
  readonly identity?: string | undefined;
  /** The differences from a valid verification of this wallet and person. */
  readonly mint?: Partial<MintOptions> | undefined;
  /** Another verification altogether, or a change of the valid one. */
  readonly verification?:
    | SignedVerification
    | ((valid: SignedVerification) => SignedVerification)
    | undefined;
  /** The change of the transaction that takes the verification. */
  readonly edit?: Pick<Edit, "what" | "apply" | "before"> | undefined;
  /** The account that claims for the wallet, instead of the one that the developer has named. */
  readonly sender?: string | undefined;
}

/** A verification that nobody has signed. */
export const madeUp: SignedVerification = {
  identityHash: id("nobody") as Hex,
  expiration: 2 ** 40 - 1,
  signature: `0x${"11".repeat(32)}${"22".repeat(32)}1b`,
};

/** The key of a signer whom only the stranger's registry trusts. */
export const rogueKey = id("rogue signer");

/** The gains that all people have by a claim; or the refusal of everybody. */
export type Gains = { readonly gains: Effect; readonly done: Done } | { readonly refusal: string };

const wallets = {
  first: attackWallets.first.address as string,
  second: attackWallets.second.address as string,
  third: attackWallets.third.address as string,
  stranger: attackWallets.stranger.address as string,
};

/** The names of wallets in the words of a step. */
const called = new Map([
  [wallets.first, "The first wallet"],
  [wallets.second, "The second wallet"],
  [wallets.third, "The third wallet"],
  [wallets.stranger, "A stranger"],
]);

/** How a claim is played. */
export type SceneOptions = Pick<AttackOptions, "prepare" | "admitted"> & {
  /** The account that claims for the wallets. */
  readonly sender?: string | undefined;
};

/** A recorded claim, and the state of its chain. */
export class Scene {
  readonly stage: Stage;
  readonly target: Target;
  readonly wallets = wallets;
  readonly functions: Interface;
  readonly sender: string | undefined;
  /** Where the verification is: the number of its transaction, and the contract's call in it. */
  #at: number | undefined;
  inner: Inner = outermost;
  /** The functions of the contract that the claim calls, and the consumer's function that gets the verification. */
  #spoken: Interface;
  #entry: FunctionFragment | undefined;
  /** Whether a contract whose ABI nobody knows writes the call, of which only words are known. */
  #isWritten = false;
  /** The recorded transaction that takes the verification. */
  recorded!: Call;
  args: Arguments | undefined;
  /** The values of the call that are no part of the verification. */
  free: readonly Leaf[] = [];
  /** The single changes of the call's other arguments and of its ether. */
  edits: readonly Edit[] = [];
  /** Words that the contract names, such as its roles. */
  words: readonly string[] = [];
  /** A stranger's registry, which no contract should ask. */
  rogueRegistry = "";
  readonly #claim: Claim;
  readonly #options: SceneOptions;
  readonly #connection: AttackConnection;
  readonly #opened = new Map<string, ClaimWallet>();
  readonly #gains = new Map<string, Gains>();
  readonly #intruders = new Set<string>();
  #steps: Step[] = [];
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
    this.functions = readFunctions(target.abi);
    this.#spoken = this.functions;
    this.sender = options.sender;
    const { entryPoints, others } = readDoors(target.abi);
    this.entryPoints = entryPoints;
    this.#doors = [...others, ...entryPoints];
    this.#claim = claim;
    this.#options = options;
    this.#connection = connection;
  }

  /** The contract's functions that change state, and those of them that take a verification in a usual form. */
  readonly #doors: readonly Door[];
  readonly entryPoints: readonly EntryPoint[];
  readonly #ways = new Map<EntryPoint, Choice | undefined>();

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
      const outcome = await this.#judge(run, verification, {});
      const call = run.calls[this.#at];
      if ("revert" in outcome || call === undefined) return outcome;
      this.recorded = call;
      await this.#locate(call, verification, outcome.done);
      return outcome;
    });
  }

  async #locate(call: Call, verification: SignedVerification, done: Done): Promise<void> {
    const { address } = this.target;
    const hash = verification.identityHash.slice(2);
    const [, input = call.data] =
      done.inputs.find(([to, data]) => to === address && data.includes(hash)) ?? [];
    this.#entry = this.functions.getFunction(input.slice(0, 10)) ?? undefined;
    const start = call.data.toLowerCase().indexOf(input.slice(2));
    // Another contract may write the call, as a service does; then its own arguments are changed.
    if (start > 2) this.inner = insideOf(start, input.length - 2);
    else if (call.to !== undefined && checksumAddress(call.to) !== address) {
      const code = await readCode(this.stage.node, await findImplementation(this.stage.node, call.to));
      const caller = (await this.artifacts()).find((each) => isCodeOf(code, each));
      if (caller === undefined) this.#isWritten = true;
      else this.#spoken = readFunctions(caller.abi.filter(isReadable));
    }
    this.args = readArguments(this.#spoken, this.#isWritten ? input : this.inner.of(call.data));
    if (this.args === undefined) return;
    const parts = [verification.identityHash, verification.signature].map((part) =>
      part.slice(2).toLowerCase(),
    );
    const isPart = ({ type, value }: Leaf) => {
      const text = String(value).toLowerCase();
      return /^bytes/.test(type.type)
        ? parts.some((part) => text.includes(part))
        : /^uint/.test(type.type) && text === String(verification.expiration);
    };
    const holdsPart = ({ value }: Leaf) => parts.some((part) => JSON.stringify(value, asText).includes(part));
    const inputs = this.args.fragment.inputs.map((type, i) => ({
      name: type.name,
      type,
      value: this.args?.values[i],
    }));
    const isSigned = (each: { readonly type: ParamType; readonly value: unknown }) =>
      isPart({ ...each, path: [], name: "" }) || holdsPart({ ...each, path: [], name: "" });
    this.#signed = inputs.filter(isSigned).map(({ name }) => name);
    Object.assign(this.given, this.argumentsOf(call));
    this.free = listLeaves(this.args).filter(
      (leaf) => !isPart(leaf) && !(leaf.type.isArray() && holdsPart(leaf)),
    );
    const ofArguments = this.free.flatMap((leaf) =>
      otherValues(leaf).map(({ value, isMade }) => ({
        what: `${leaf.name} = ${sayValue(value)}`,
        leaf,
        value,
        isMade,
        apply: (each: Call) => this.set(each, leaf, value),
        ...(typeof value === "bigint" &&
          BigInt(String(leaf.value)) > 9n && {
            before: (each: Call) =>
              substitute(each, toBeHex(String(leaf.value), 32), toBeHex(value < 0n ? 0n : value, 32)),
          }),
      })),
    );
    const { value = 0n } = call;
    // Two cost twice as much.
    const ofPrice = ofArguments.flatMap((edit) => {
      const [from, to] = [edit.leaf.value, edit.value];
      if (value === 0n || typeof from !== "bigint" || typeof to !== "bigint" || from < 1n || to < 1n)
        return [];
      // Some prices grow; what is too much may come back.
      const prices = [(value * to) / from, ...(to < 4n ? [(10n * value * to) / from] : [])];
      return prices
        .filter((price) => price <= wealth)
        .map((price) => ({
          ...edit,
          what: `${edit.what}, value = ${price} wei`,
          isScaled: true,
          apply: (each: Call) => ({ ...edit.apply(each), value: price }),
        }));
    });
    const ofEther = (this.args.fragment.payable ? [0n, 1n, value + 1n, 2n * value] : []).filter(
      (each) => each !== value,
    );
    const edits: readonly Edit[] = [
      ...ofArguments,
      ...ofPrice,
      ...[...new Set(ofEther)].map((each) => ({
        what: `value = ${each} wei`,
        isMade: false,
        apply: (one: Call) => ({ ...one, value: each }),
      })),
    ];
    this.edits = edits.filter(({ apply }) => {
      const changed = apply(call);
      return changed.data !== call.data || changed.value !== call.value;
    });
  }

  /** The contract's other functions that change state. */
  get doors(): readonly Door[] {
    const own = this.#entry?.format("sighash");
    return this.#doors.filter(({ name }) => name !== own);
  }

  /** The recorded arguments by name, which other functions may take, too. */
  readonly given: Readonly<Record<string, unknown>> = {};

  /** The names of the arguments that hold the verification. */
  #signed: readonly string[] = [];

  /** The arguments of a call by name, without the verification. */
  argumentsOf({ data }: Call): Readonly<Record<string, unknown>> {
    const read = readArguments(this.#spoken, this.inner.of(data));
    const named = read?.fragment.inputs.map(({ name }, i) => [name, read.values[i]] as const) ?? [];
    return Object.fromEntries(named.filter(([name]) => !this.#signed.includes(name)));
  }

  /** The amounts of the recorded call: its numbers, and its ether in wei. */
  get amounts(): readonly bigint[] {
    const numbers = this.free.flatMap(({ value }) =>
      typeof value === "bigint" && value > 1n ? [value] : [],
    );
    return [...new Set([...numbers, this.recorded.value ?? 0n])]
      .filter((each) => each > 1n && each < wealth / 10n)
      .slice(0, 3);
  }

  /** Adds an item with another verification to each list of a call that has one for each verification; `undefined` if none has. */
  doubled(call: Call, valid: SignedVerification, next: SignedVerification): Call | undefined {
    const read = readArguments(this.#spoken, this.inner.of(call.data));
    if (read === undefined) return undefined;
    const isIn = (value: unknown) => JSON.stringify(value, asText).includes(valid.identityHash);
    const list = read.values.find((value) => Array.isArray(value) && isIn(value)) as unknown[] | undefined;
    const lists = read.fragment.inputs.map(
      (type, i) => type.isArray() && list !== undefined && Object(read.values[i]).length === list.length,
    );
    if (!lists.includes(true)) return undefined;
    const swap = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(swap);
      if (String(value) === String(valid.expiration)) return next.expiration;
      return value === valid.identityHash
        ? next.identityHash
        : value === valid.signature
          ? next.signature
          : value;
    };
    const values = read.values.map((value, i) =>
      lists[i] && Array.isArray(value) ? [...value, swap(value.at(-1))] : value,
    );
    const data = this.#spoken.encodeFunctionData(read.fragment, values) + read.tail;
    return { ...call, data: this.inner.put(call.data, data) };
  }

  /** Claims by the contract's other functions that take a verification, each with arguments that it takes now. */
  async otherClaims(
    wallet: string,
    identity = "carol",
    verification?: SignedVerification,
  ): Promise<(readonly [name: string, call: Call])[]> {
    const found: (readonly [string, Call])[] = [];
    const shown = verification ?? (await this.mint({ wallet, identity }));
    for (const entry of this.entryPoints) {
      if (entry.fragment.selector === this.#entry?.selector) continue;
      const callWith = (choice: Choice): Call => ({
        from: this.sender ?? wallet,
        to: this.target.address,
        data: encode(entry, invent(entry, { given: this.given, ...choice, caller: wallet }, shown)),
        value: entry.payable ? choice.value : 0n,
      });
      if (!this.#ways.has(entry)) this.#ways.set(entry, await this.#findChoice(entry, callWith));
      const choice = this.#ways.get(entry);
      if (choice !== undefined) found.push([short(entry), callWith(choice)]);
    }
    return found;
  }

  async #findChoice(entry: EntryPoint, callWith: (choice: Choice) => Call): Promise<Choice | undefined> {
    for (const choice of choices(entry)) {
      const outcome = await this.stage.simulate(callWith(choice));
      if (effectOf(outcome).size > 0) return choice;
    }
    return undefined;
  }

  /** Sets one value of the contract's call. */
  set(call: Call, leaf: Leaf, value: unknown): Call {
    if (!this.#isWritten) return setValue(this.#spoken, call, this.inner, leaf, value);
    const isWord = !leaf.type.isArray() && !/^(string|bytes)$/.test(leaf.type.type);
    const [from, to] = [leaf.value, value].map((each) => (isWord ? coder.encode([leaf.type], [each]) : "0x"));
    // A word that stands in the call twice may be another value, too.
    if (from === undefined || to === undefined || !isWord || countOf(call, from) !== 1) return call;
    return substitute(call, from, to);
  }

  /** The name of the function that claims. */
  get entryPoint(): string {
    return this.#entry?.format("sighash") ?? `the claim at ${this.recorded?.to ?? this.target.address}`;
  }

  /** The function's bare name, as in a sentence. */
  get short(): string {
    return this.#entry === undefined ? "The claim" : `${this.#entry.name}()`;
  }

  /** Composes a finding from the transactions so far. */
  found(message: string, more: Pick<Found, "entryPoint" | "change"> = {}): Found {
    return { message, ...more, transactions: [...this.#steps] };
  }

  /** Runs something from the present state, and takes it back. */
  async branch<T>(run: () => Promise<T>): Promise<T> {
    const before = { steps: this.#steps, state: this.#state, claims: this.#claims };
    this.#steps = [...before.steps];
    try {
      return await this.stage.undone(run);
    } finally {
      this.#steps = before.steps;
      this.#state = before.state;
      this.#claims = before.claims;
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

  /** The project's compiled contracts. */
  async artifacts(): Promise<Compiled[]> {
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
    return runClaim(node, this.#claim, context, passage);
  }

  #contextOf(verification: SignedVerification, wallet: ClaimWallet, sender: ClaimWallet): ClaimContext {
    const { identityHash, expiration, signature } = verification;
    const send = (transaction: object) =>
      this.stage.node.request({ method: "eth_sendTransaction", params: [transaction] });
    const minted = withArguments({ identityHash, expiration, signature });
    return { verification: minted, wallet, sender, unique: 1 + this.#claims, send };
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
    return { done: more.reduce(mergeDone, one) };
  }

  #describe({ from, to, data }: Call, { wallet = wallets.first, identity = "alice", edit }: Play): string {
    const isOwn = to?.toLowerCase() === this.target.address.toLowerCase();
    const name =
      (isOwn && this.functions.getFunction(data.slice(0, 10))?.format("sighash")) ||
      `${to ?? "a new contract"}`;
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

  /** Runs a claim up to the transaction that takes the verification. Earlier transactions stay. */
  async draft(play: Play): Promise<Call | undefined> {
    const verification = await this.#verificationOf(play);
    const run = await this.#run({ ...play, verification }, { at: this.#at, edit: play.edit, isDraft: true });
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
    // Another amount may need another approval before.
    for (const [i, edit] of edits.entries()) {
      if (this.#at === 0 || edit?.before === undefined || "done" in (outcomes[i] ?? {})) continue;
      outcomes[i] = await this.branch(async () => {
        const call = await this.draft({ ...play, edit });
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
    const isPaid = this.#paidBy(one.done);
    const isWorth = (mark: string) => !/^ether .*\+$/.test(mark) && !isPaid.has(mark.split(" ")[1] ?? "");
    const others = "done" in twin ? twin.done.effect : one.done.effect;
    const all = [...one.done.effect].filter(isWorth);
    if (all.length === 0 && one.done.effect.size === 0) {
      return { refusal: "it changes nothing in the contract's storage, and moves nothing" };
    }
    return { gains: shared(new Set(all), others), done: one.done };
  }

  /** The tokens with which a claim pays the contract: they are a price, no gain. */
  #paidBy({ logs }: Done): Set<string> {
    const to = zeroPadValue(this.target.address, 32).toLowerCase();
    const own = this.target.address;
    return new Set(
      logs
        .filter(
          ({ address, topics: [event, , receiver] }) =>
            event === transfer && receiver?.toLowerCase() === to && checksumAddress(address) !== own,
        )
        .map(({ address }) => checksumAddress(address)),
    );
  }

  /** Says why something was refused. */
  sayRefusal(outcome: Outcome): string {
    if ("done" in outcome) return "";
    if (outcome.revert === "0x" && outcome.said !== undefined) return outcome.said;
    return describeRevert(outcome.revert, { abis: [this.target.abi] }).text;
  }

  /** Deploys the contract that calls on behalf of others. */
  async intrude(
    call?: Pick<Call, "to" | "data" | "value">,
  ): Promise<Outcome & { readonly intruder: string }> {
    const args = coder.encode(["address", "bytes"], [call?.to ?? `0x${"00".repeat(20)}`, call?.data ?? "0x"]);
    const { bytecode } = readArtifact("attack/Intruder");
    const deployment = { from: wallets.first, data: concat([bytecode, args]), value: call?.value };
    const what = `The first wallet deploys a contract${call === undefined ? "" : " that claims in its constructor"}.`;
    const outcome = await this.send(what, deployment);
    const intruder = "done" in outcome ? checksumAddress(outcome.done.created ?? "") : "";
    if (intruder !== "") {
      this.#intruders.add(intruder);
      if (call === undefined) await this.prepare(intruder);
    }
    return { ...outcome, intruder };
  }

  /** Delegates a wallet to code by EIP-7702. */
  async delegate(wallet: string, name: string): Promise<void> {
    const code = accountOf(name);
    const place = (account: string, bytes: string) =>
      this.stage.node.request({ method: "hardhat_setCode", params: [account, bytes] });
    await place(code, readArtifact(name).deployedBytecode);
    await place(wallet, `0xef0100${code.slice(2)}`);
    this.note(`delegate ${wallet} ${name}`);
  }

  /** Makes several calls in one transaction of the first wallet, which delegates; others go through code of theirs. */
  async batch(calls: readonly Call[]): Promise<Outcome> {
    const { first } = wallets;
    const batched = calls.map(({ from, to, data, value = 0n }) => ({
      to: checksumAddress(from) === first ? to : from,
      value,
      gasLimit: MaxUint256,
      data:
        checksumAddress(from) === first
          ? data
          : intruderInterface.encodeFunctionData("attack", [to, data, "0x", 0n]),
    }));
    const data = executorInterface.encodeFunctionData("execute", [batched]);
    const what = "The first wallet calls the contract twice in one batch (EIP-7702).";
    return this.send(what, { from: first, to: first, data });
  }

  /** Composes a call through another contract, which calls back with `callback` when it is called in turn. */
  passing(intruder: string, from: string, { to, data, value }: Call, callback?: Call): Call {
    const { data: back = "0x", value: price = 0n } = callback ?? {};
    const args = [to, data, back, price];
    return { from, to: intruder, data: intruderInterface.encodeFunctionData("attack", args), value };
  }

  /** Makes a call through another contract. */
  async through(intruder: string, from: string, call: Call, callback?: Call): Promise<Outcome> {
    const what = callback === undefined ? "" : ", and calls the contract back when that calls it";
    return this.send(`A contract passes a call on${what}.`, this.passing(intruder, from, call, callback));
  }

  /** Whether an account is a contract of the attacks. */
  isIntruder(account: string): boolean {
    return this.#intruders.has(account);
  }

  /** Whether only an account that the contract trusts can claim, for its users. */
  get isTrusted(): boolean {
    return this.sender !== undefined && checksumAddress(this.recorded.from) === this.sender;
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

/** Whether a claim had the usual gains; for a claim that gives everybody something else, any. */
export const isAdmitted = (outcome: Outcome, gains: Effect): boolean =>
  "done" in outcome &&
  (gains.size === 0 ? outcome.done.effect.size > 0 : overlap(gains, outcome.done.effect) >= 0.5);

/** A transaction's effects; empty if it reverted. */
export const effectOf = (outcome: Outcome): Effect => ("done" in outcome ? outcome.done.effect : new Set());

/** The rounds in which a transaction counted an identity, by the event of `VerifyOnce`. */
export const roundsOf = (outcome: Outcome): string => ("done" in outcome ? outcome.done.rounds.join() : "");

/** Reads an address from a getter's answer; `undefined` for zero and other values. */
export function readAddress(answer: string | undefined): string | undefined {
  const [, digits] = /^0x0{24}(?!0{40})([\da-f]{40})$/i.exec(answer ?? "") ?? [];
  return digits && checksumAddress(`0x${digits}`);
}

const coder = AbiCoder.defaultAbiCoder();
const transfer = id("Transfer(address,address,uint256)");
const executorInterface = new Interface([
  "function execute(tuple(address to, uint256 value, uint256 gasLimit, bytes data)[] calls)",
]);
const intruderInterface = new Interface([
  "function attack(address target, bytes data, bytes callback, uint256 price) payable",
]);
const asText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
const sayValue = (value: unknown): string => {
  const text = typeof value === "object" ? JSON.stringify(value, asText) : String(value);
  return text.length > 42 ? `${text.slice(0, 20)}…` : text;
};
