import { PolicyError } from "@hardhat-identity/chain/policy";
import { readArtifact } from "@hardhat-identity/ignition/artifacts";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import type { Hex } from "@hardhat-identity/protocol/hex";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { AbiCoder, concat, Interface, id, MaxUint256 } from "ethers";
import type { AbiEntry } from "hardhat-identity/internal/consumer/compiledContract";
import { type MintOptions, mintVerifications } from "hardhat-identity/internal/consumer/mint";
import type { Step } from "hardhat-identity/internal/testing/attack";
import { type Effect, overlap, type Places, shared } from "./effect.ts";
import { type Door, type EntryPoint, encode } from "./functions.ts";
import { type Choice, invent } from "./invent.ts";
import { signInTheOpen } from "./sign.ts";
import { accountOf, type Call, type Outcome, type Stage } from "./stage.ts";
import { deal, enlist, erc20 } from "./tokens.ts";

/** The contract under attack. */
export interface Target {
  readonly name: string;
  readonly address: string;
  readonly abi: readonly AbiEntry[];
  readonly registry: string;
  /** The account with special rights; `undefined` if none is known. */
  readonly owner: string | undefined;
  /** Other versions to upgrade from or to, if it is behind a proxy. */
  readonly versions?: readonly Version[] | undefined;
}

/** A deployed implementation of a contract behind a proxy. */
export interface Version {
  readonly name: string;
  readonly implementation: string;
  /** Whether it is the one before; or else the same one again. */
  readonly isPrevious: boolean;
}

/** An entry point, with arguments that it accepts. */
export interface Ready extends EntryPoint {
  readonly choice: Choice;
  /** The contract that calls for users, such as a pool; absent if users call themselves. */
  readonly sender?: string | undefined;
  /** Whether it has an allowlist, to which each claimant is added first. */
  readonly isListed?: boolean | undefined;
  /** Whether the caller appends the sender to the arguments, as an ERC-2771 forwarder does. */
  readonly isAppended?: boolean | undefined;
}

/** The values of an entry point that are chosen by place, and some more. */
export const valuesAt = ({ choice }: Ready, more: Iterable<readonly [path: string, value: unknown]>) =>
  new Map([...(choice.at ?? []), ...more]);

/** A fault that was shown on the chain. */
export interface Found {
  /** The fault and its remedy. */
  readonly message: string;
  /** The function at which it goes wrong, if it is not the entry point. */
  readonly entryPoint?: string | undefined;
  /** The transactions that show it. */
  readonly transactions: readonly Step[];
}

/** A claim: who calls an entry point, and with whose verification. */
export interface Claim {
  /** Defaults to the first wallet. */
  readonly wallet?: string | undefined;
  /** Name of a person; defaults to `alice`. */
  readonly identity?: string | undefined;
  /** The differences from a valid verification of this wallet and person. */
  readonly mint?: Partial<MintOptions> | undefined;
  /** Another verification altogether. */
  readonly verification?: SignedVerification | undefined;
  /** The differences from the usual arguments. */
  readonly choice?: Partial<Choice> | undefined;
  /** The sender that the caller appends to the arguments, as an ERC-2771 forwarder does. */
  readonly appended?: string | undefined;
}

/** An event that may open another function: a call of the owner or of a claimant, or time. */
export interface Move {
  run(claimant: string): Promise<void>;
  /** The changed places; absent for time, which may change everything. */
  readonly changed?: Places;
}

const wallets = {
  /** A verified person's phone. */
  first: accountOf("first wallet"),
  /** Another wallet of the same person. */
  second: accountOf("second wallet"),
  /** A wallet of somebody whom nobody has verified. */
  stranger: accountOf("stranger"),
};

/** The names of wallets in the words of a step. */
const called = new Map([
  [wallets.first, "The first wallet"],
  [wallets.second, "The second wallet"],
  [wallets.stranger, "A stranger"],
]);

/** A verification that nobody has signed. */
export const madeUp: SignedVerification = {
  identityHash: id("nobody") as Hex,
  expiration: 2 ** 40 - 1,
  signature: `0x${"11".repeat(32)}${"22".repeat(32)}1b`,
};

/** The key of a signer whom only the stranger's registry trusts. */
export const rogueKey = id("rogue signer");

/** The moves that attacks are made of. */
export class Scene {
  readonly stage: Stage;
  readonly target: Target;
  readonly wallets = wallets;
  /** The functions that take a verification, and that one was accepted by. */
  entryPoints: Ready[] = [];
  /** The entry points that admit forgeries. */
  readonly unguarded = new Set<Ready>();
  /** The other functions that change state. */
  others: Door[] = [];
  /** The tokens that the contract takes. */
  tokens: string[] = [];
  /** The move that opens each function that refuses everything before it. */
  readonly openings = new Map<Door, Move>();
  /** The moves that may open functions, or let them do more. */
  readonly moves: Move[] = [];
  /** The steps that the contract requires before it accepts a wallet. */
  readonly admissions: ((wallet: string) => Promise<unknown>)[] = [];
  /** A stranger's registry, which no contract should ask. */
  rogueRegistry = "";
  /** Arguments by name: from the user, and from answers of calls, such as a proposal's id. */
  given: Readonly<Record<string, unknown>> = {};
  #steps: Step[] = [];
  /** The preparations before the first attack. */
  #before: Step[] = [];
  readonly #gains = new Map<string, Effect>();
  /** The contracts that call on behalf of the first wallet. */
  readonly #intruders = new Set<string>();

  constructor(stage: Stage, target: Target) {
    this.stage = stage;
    this.target = target;
  }

  /** The calls that were sent before the first attack, and since the last {@link fresh}. */
  get steps(): readonly Step[] {
    return [...this.#before, ...this.#steps];
  }

  /** Makes the calls so far the preparation of every attack. */
  keep(): void {
    this.#before = [...this.steps];
    this.#steps = [];
  }

  /** Composes a finding from the transactions so far. */
  found(message: string, entryPoint?: string): Found {
    return { message, entryPoint, transactions: this.steps };
  }

  /** Runs something from the contract's first state, and takes it back. */
  fresh<T>(run: () => Promise<T>): Promise<T> {
    return this.#undone([], run);
  }

  /** Runs something from the present state, and takes it back. */
  branch<T>(run: () => Promise<T>): Promise<T> {
    return this.#undone([...this.#steps], run);
  }

  async #undone<T>(steps: Step[], run: () => Promise<T>): Promise<T> {
    const before = { steps: this.#steps, given: this.given };
    this.#steps = steps;
    try {
      return await this.stage.undone(run);
    } finally {
      this.#steps = before.steps;
      this.given = before.given;
    }
  }

  /** Sends a transaction and keeps it as a step, if it succeeds. */
  async send(what: string, call: Call): Promise<Outcome> {
    const outcome = await this.stage.send(call);
    if ("done" in outcome) this.#note(what, call, outcome.done.hash);
    return outcome;
  }

  #note(what: string, { from, to, data, value = 0n }: Call, hash: string): Step {
    const step = { what, from, to, data, value: String(value), hash };
    this.#steps.push(step);
    return step;
  }

  /** Mints a verification that the registry accepts unless `mint` says otherwise. */
  async mint(claim: Claim = {}): Promise<SignedVerification> {
    const [minted] = await this.mintAll([claim]);
    return minted ?? madeUp;
  }

  /** Mints verifications for several wallets at once. */
  async mintAll(claims: readonly Claim[]): Promise<SignedVerification[]> {
    const { address, registry } = this.target;
    const all = claims.map(({ wallet: user = wallets.first, identity = "alice", mint }) => ({
      user,
      identity,
      registry,
      ...mint,
    }));
    const minted = await mintVerifications(this.stage.node, address, all, signInTheOpen);
    // Some contracts take the binding from their caller.
    return minted.map(({ verification, binding }) => ({ ...binding, ...verification }));
  }

  /** The differences in a verification that only the stranger's registry accepts. */
  get rogueMint(): Partial<MintOptions> {
    return { registry: this.rogueRegistry, signingKey: rogueKey };
  }

  /** Composes a claim. */
  async callOf(entry: Ready, claim: Claim = {}): Promise<Call> {
    const { wallet = wallets.first } = claim;
    const verification = claim.verification ?? (await this.mint(claim));
    const given = { ...verification, ...this.given };
    const choice = { given, ...entry.choice, ...claim.choice, caller: wallet };
    const sender = claim.appended ?? (entry.isAppended ? wallet : "0x");
    const data = concat([encode(entry, invent(entry, choice, verification)), sender]);
    const from = entry.sender ?? wallet;
    const call = { from, to: this.target.address, data, value: entry.payable ? choice.value : 0n };
    if (entry.isListed) await enlist(this.stage, call);
    return call;
  }

  /** Asks something about a claim without making it; where there is an allowlist, the claim leaves it as it was. */
  async about<T>(entry: Ready, claim: Claim, ask: (call: Call) => Promise<T>): Promise<T> {
    const run = async () => ask(await this.callOf(entry, claim));
    return entry.isListed ? this.branch(run) : run();
  }

  /** Claims. A contract whose policy the service would not accept refuses everybody. */
  async claim(entry: Ready, claim: Claim = {}): Promise<Outcome> {
    try {
      const call = await this.callOf(entry, claim);
      if (await this.#refuses(entry, call)) return { revert: "0x" };
      return await this.send(describeClaim(entry, claim), call);
    } catch (error) {
      if (error instanceof PolicyError) return { revert: "0x" };
      throw error;
    }
  }

  /** Claims for the gas alone; answers `undefined` if the claim reverts. */
  async spend(
    entry: Ready,
    claim: Claim,
  ): Promise<{ readonly gas: bigint; readonly step: Step } | undefined> {
    const call = await this.callOf(entry, claim);
    const spent = await this.stage.spend(call);
    return spent && { gas: spent.gas, step: this.#note(describeClaim(entry, claim), call, spent.hash) };
  }

  /** Whether a validation of ERC-4337 answers that it refuses: a failure, or a time that is over. */
  async #refuses({ fragment }: Ready, call: Call): Promise<boolean> {
    if (!/^validate(Paymaster)?UserOp$/.test(fragment.name)) return false;
    const answer = await this.stage.ask(call);
    if (answer === undefined) return false;
    const data = BigInt(new Interface([fragment]).decodeFunctionResult(fragment, answer).at(-1));
    const until = (data >> 160n) & (2n ** 48n - 1n);
    return (data & (2n ** 160n - 1n)) === 1n || (until !== 0n && until < (await this.stage.time()));
  }

  /** Composes a call of a function that takes no verification. */
  callOther(door: Door, from: string, choice: Choice): Call & { readonly to: string } {
    const values = invent(door, { given: this.given, ...choice, caller: from });
    return {
      from,
      to: this.target.address,
      data: encode(door, values),
      value: door.payable ? choice.value : 0n,
    };
  }

  /** Makes the move that opens a function. */
  async open(door: Door): Promise<void> {
    await this.openings.get(door)?.run(wallets.first);
  }

  /** Calls a function that takes no verification. */
  async call(door: Door, from: string, choice: Choice): Promise<Outcome> {
    const who = from === this.target.owner ? "The owner" : (called.get(from) ?? from);
    const call = this.callOther(door, from, choice);
    if (choice.isListed) await enlist(this.stage, call);
    if (this.#intruders.has(from)) return this.through(from, wallets.first, call);
    return this.send(`${who} calls ${door.name}.`, call);
  }

  /** The gains of a wallet by a claim: the effects that every verified person's claim has, in the contract's first state. */
  async gains(entry: Ready, wallet: string = wallets.first): Promise<Effect> {
    const key = `${entry.name} ${wallet}`;
    const known = this.#gains.get(key);
    if (known !== undefined) return known;
    const paid = new Set<string>();
    const run = (identity: string) =>
      this.fresh(async () => {
        const held = () => Promise.all(this.tokens.map((token) => this.balance(token, this.target.address)));
        const before = await held();
        const effect = effectOf(await this.claim(entry, { wallet, identity }));
        for (const [i, amount] of (await held()).entries()) {
          if (amount > (before[i] ?? 0n)) paid.add(this.tokens[i] ?? "");
        }
        return effect;
      });
    const [one, another] = [await run("carol"), await run("dave")];
    // Ether that comes in is a price, not a gain; and so is a token.
    const isGain = (mark: string) => !/^ether .*\+$/.test(mark) && !paid.has(mark.split(" ")[1] ?? "");
    const gains = new Set([...shared(one, another)].filter(isGain));
    this.#gains.set(key, gains);
    return gains;
  }

  /** Whether a claim had the usual gains. */
  isAdmitted(outcome: Outcome, gains: Effect): boolean {
    return "done" in outcome && (gains.size === 0 || overlap(gains, outcome.done.effect) >= 0.5);
  }

  /** Deploys the contract that calls on behalf of others, with tokens of its own. */
  async intrude(
    call?: Pick<Call, "to" | "data" | "value">,
  ): Promise<Outcome & { readonly intruder: string }> {
    const args = AbiCoder.defaultAbiCoder().encode(
      ["address", "bytes"],
      [call?.to ?? `0x${"00".repeat(20)}`, call?.data ?? "0x"],
    );
    const { bytecode } = readArtifact("attack/Intruder");
    const deployment = { from: wallets.first, data: concat([bytecode, args]), value: call?.value };
    const outcome = await this.send(
      "The first wallet deploys a contract that claims in its constructor.",
      deployment,
    );
    const intruder = "done" in outcome ? checksumAddress(outcome.done.created ?? "") : "";
    if (intruder !== "") {
      this.#intruders.add(intruder);
      await this.equip(intruder);
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
  }

  /** Calls the contract several times in one transaction of the first wallet, which delegates; others go through code of theirs. */
  async batch(calls: readonly Call[]): Promise<Outcome> {
    const { first } = wallets;
    const batched = calls.map(({ from, to, data, value = 0n }) => ({
      to: from === first ? to : from,
      value,
      gasLimit: MaxUint256,
      data: from === first ? data : intruderInterface.encodeFunctionData("attack", [to, data, "0x", 0n]),
    }));
    const data = executorInterface.encodeFunctionData("execute", [batched]);
    return this.send("The first wallet calls the contract twice in one batch (EIP-7702).", {
      from: first,
      to: first,
      data,
    });
  }

  /** Composes a call through another contract, which calls back with `callback` when it is called in turn. */
  passing(intruder: string, from: string, { data, value }: Call, callback?: Call): Call {
    const { data: back = "0x", value: price = 0n } = callback ?? {};
    const args = [this.target.address, data, back, price];
    return { from, to: intruder, data: intruderInterface.encodeFunctionData("attack", args), value };
  }

  /** Calls the contract through another one. */
  async through(intruder: string, from: string, call: Call, callback?: Call): Promise<Outcome> {
    const what = callback === undefined ? "" : ", and calls the contract back when that calls it";
    return this.send(`A contract passes a call on${what}.`, this.passing(intruder, from, call, callback));
  }

  /** Gives a wallet ether and tokens, lets the contract take them, and has it let in. */
  async equip(wallet: string): Promise<void> {
    const { address } = this.target;
    await this.stage.fund(wallet);
    for (const token of this.tokens) {
      if (!(await deal(this.stage, token, wallet))) continue;
      const approval = erc20.encodeFunctionData("approve", [address, MaxUint256]);
      await this.stage.spend({ from: wallet, to: token, data: approval });
    }
    for (const admit of this.admissions) await admit(wallet);
  }

  /** A wallet's balance of a token. */
  async balance(token: string, wallet: string): Promise<bigint> {
    const data = erc20.encodeFunctionData("balanceOf", [wallet]);
    return BigInt((await this.stage.ask({ from: wallet, to: token, data })) ?? 0);
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

const executorInterface = new Interface([
  "function execute(tuple(address to, uint256 value, uint256 gasLimit, bytes data)[] calls)",
]);
const intruderInterface = new Interface([
  "function attack(address target, bytes data, bytes callback, uint256 price) payable",
]);

function describeClaim(
  { name, sender }: Ready,
  { wallet = wallets.first, identity = "alice" }: Claim,
): string {
  const who = called.get(wallet) ?? wallet;
  return `${sender === undefined ? who : `For ${lowerFirst(who)}, ${sender}`} calls ${name} as ${identity}.`;
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** A transaction's effects; empty if it reverted. */
export const effectOf = (outcome: Outcome): Effect => ("done" in outcome ? outcome.done.effect : new Set());

/** Reads an address from a getter's answer; `undefined` for zero and other values. */
export function readAddress(answer: string | undefined): string | undefined {
  const [, digits] = /^0x0{24}(?!0{40})([\da-f]{40})$/i.exec(answer ?? "") ?? [];
  return digits && checksumAddress(`0x${digits}`);
}
