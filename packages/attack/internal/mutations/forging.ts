// Is a verification checked, and whose is it?

import type { Hex } from "@hardhat-identity/protocol/hex";
import { curveOrder } from "@hardhat-identity/protocol/signature";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { AbiCoder, concat, dataSlice, getCreateAddress, id, toBeHex } from "ethers";
import { findImplementation, readCode } from "hardhat-identity/internal/consumer/erc1967";
import type { Binding } from "hardhat-identity/internal/consumer/mint";
import { registryInterface } from "hardhat-identity/internal/consumer/registryInterface";
import { accountOf } from "../../wallets.ts";
import { countOf, substitute } from "../calldata.ts";
import { gainsOfOne, overlap, shared } from "../effect.ts";
import { effectOf, isAdmitted } from "../gains.ts";
import { intrude, through } from "../intruder.ts";
import { type Attack, findWay, mustRefuse, type Verdict, verdictOf } from "../judge.ts";
import { madeUp, type Play, withEdit } from "../play.ts";
import type { Scene } from "../scene.ts";
import type { Call, Outcome } from "../stage.ts";

/** A verification that must be refused where the true one is accepted. */
interface Forgery {
  readonly name: string;
  readonly means: string;
  readonly plays: readonly Play[] | ((scene: Scene) => Promise<readonly Play[]>);
  /** The parts of its binding that are false. A contract may wrongly take them from its caller. */
  readonly foreign?: readonly (keyof Binding)[];
}

const altered = (change: (valid: SignedVerification) => Partial<SignedVerification>): Play => ({
  verification: (valid) => ({ ...valid, ...change(valid) }),
});

/** In place of the transaction that takes the verification, sends one that does nothing. */
const leftOut = {
  what: "the transaction that takes the verification left out",
  apply: ({ from }: Call): Call => ({ from, to: from, data: "0x" }),
};

const forgeries: readonly Forgery[] = [
  {
    name: "made-up verification",
    means: "admits a made-up verification: it is not checked. Call _verifyOnce, or _verify.",
    plays: [{ verification: madeUp }],
  },
  {
    name: "claim without its verification",
    means:
      "can be left out, and the rest of the claim gives the same: let that ask whether a person was verified.",
    plays: async ({ later }) => (later > 0 ? [{ verification: madeUp, edit: leftOut }] : []),
  },
  {
    name: "verification signed by a stranger",
    means: "admits a verification that a stranger has signed: ask the registry, as _verify does.",
    plays: [{ mint: { flaw: "wrongSigner" } }],
  },
  {
    name: "expired verification",
    means: "admits an expired verification: check the expiration that was signed, as _verify does.",
    // Some nodes give the next block the same second.
    plays: async ({ stage }) => [
      { mint: { expiration: (await stage.time()) - 1 } },
      { mint: { expiration: 1 } },
    ],
  },
  {
    name: "altered verification",
    means:
      "admits a verification that was altered after it was signed: pass each part to _verifyOnce as it came.",
    plays: [
      altered(() => ({ identityHash: madeUp.identityHash })),
      altered(({ expiration }) => ({ expiration: expiration + 1_000_000 })),
      altered(() => ({ signature: "0x" })),
      altered(({ signature }) => ({ signature: dataSlice(signature, 0, 64) as Hex })),
      altered(({ signature }) => ({ signature: concat([signature, signature]) as Hex })),
      altered(() => ({ signature: `0x${"00".repeat(65)}` })),
    ],
  },
  {
    name: "verification of another consumer",
    foreign: ["consumer", "policyHash"],
    means: "admits a verification for another contract: the signature must bind this one, as _verify checks.",
    plays: async ({ stage: { node }, target: { address } }) => {
      const implementation = await findImplementation(node, address);
      const behind = implementation === address ? [] : [{ mint: { binding: { consumer: implementation } } }];
      return [{ mint: { flaw: "otherConsumer" } }, ...behind];
    },
  },
  {
    name: "verification of another policy",
    foreign: ["policyHash"],
    means: "admits a verification for another policy: the signature must bind this one, as _verify checks.",
    plays: [{ mint: { binding: { policyHash: id("another policy") as Hex } } }],
  },
  {
    name: "verification of another chain",
    foreign: ["chainId", "policyHash"],
    means: "admits a verification of another chain: the signature must bind the chain, as _verify checks.",
    plays: [{ mint: { chainId: 987_654 } }],
  },
  {
    name: "verification of another registry",
    foreign: ["registry"],
    means:
      "admits a verification for another registry: the signature must bind the registry, as _verify checks.",
    plays: [{ mint: { registry: accountOf("another registry") } }],
  },
];

/** Plays a forgery, and tells the contract what it is bound to, wherever the claim told it what the true one is bound to. */
const forge = ({ name, means, plays, foreign = [] }: Forgery): Attack => ({
  name,
  async *run(scene) {
    const truth = await scene.mint();
    for (const play of typeof plays === "function" ? await plays(scene) : plays) {
      const bound = await scene.mint(play);
      const words = foreign.map((part) => [toWord(truth[part]), toWord(bound[part])] as const);
      const told = words.filter(([from]) => countOf(scene.recorded.call, from) > 0);
      const lies = [...told.map((each) => [each]), ...(told.length > 1 ? [told] : [])];
      const edits = lies.map((lie) => ({
        what: `${lie.length} words of the binding`,
        apply: (call: Call) => lie.reduce((one, [from, to]) => substitute(one, from, to), call),
      }));
      for (const edit of [undefined, ...edits]) {
        const trial = async () => {
          const way = await findWay(scene, {});
          if ("refusal" in way) return way;
          await standIn(scene, bound.consumer);
          const outcome = await scene.play(withEdit(withEdit(play, edit), way.edit));
          return isAdmitted(outcome, way.gains) ? `${scene.short} ${means}` : undefined;
        };
        yield await verdictOf(scene, trial, { change: edit?.what });
      }
    }
  },
});

const toWord = (value: string | number) => toBeHex(value, 32);

/** Puts a copy of the contract where another consumer should be, so that it answers the same policy. */
async function standIn({ stage: { node }, target: { address } }: Scene, consumer: string): Promise<void> {
  if (consumer === address || (await readCode(node, consumer)) !== "0x") return;
  const code = await readCode(node, address);
  await node.request({ method: "hardhat_setCode", params: [consumer, code] });
}

const nextSignerKey = id("the signer after the removed one");

const removed: Attack = {
  name: "verification of a removed signer",
  async *run(scene) {
    const { address, registry } = { ...scene.target };
    const owner = AbiCoder.defaultAbiCoder().decode(
      ["address"],
      (await scene.stage.ask({
        from: address,
        to: registry,
        data: registryInterface.encodeFunctionData("owner"),
      })) ?? toWord(0),
    )[0];
    const { signer } = await scene.mint();
    const { signer: next } = await scene.mint({ mint: { signingKey: nextSignerKey } });
    const change = (name: string, who: string) =>
      scene.send(`The registry's owner calls ${name}().`, {
        from: owner,
        to: registry,
        data: registryInterface.encodeFunctionData(name, [who]),
      });
    yield await scene.branch(async () => {
      await change("addSigner", next);
      if (!("done" in (await change("removeSigner", signer))))
        return { refusal: "the registry's owner removes no signer" };
      return mustRefuse(scene, {
        attack: {},
        control: { mint: { signingKey: nextSignerKey } },
        means:
          "admits a verification of a signer whom the registry has removed: ask the registry at each claim, as _verify does.",
      });
    });
  },
};

const chosen: Attack = {
  name: "registry of the caller's choice",
  async *run(scene) {
    for (const leaf of scene.recorded.free) {
      if (leaf.type.type !== "address") continue;
      const [sample] = scene.recorded.edits.filter((each) => each.leaf === leaf);
      if (sample === undefined) continue;
      const way = await findWay(scene, {});
      if ("refusal" in way) {
        yield way;
        continue;
      }
      const edit = {
        what: `${leaf.name} = a registry of the caller's`,
        apply: (call: Call) => scene.recorded.set(call, leaf, scene.rogueRegistry),
      };
      const trial = async () => {
        const outcome = await scene.play(withEdit({ mint: scene.rogueMint, edit }, way.edit));
        if (!isAdmitted(outcome, way.gains)) return undefined;
        return `${scene.short} asks the registry that its caller names, which may be the caller's own: keep the registry in an immutable.`;
      };
      yield await verdictOf(scene, trial, { change: edit.what });
    }
  },
};

/** The ways to name the victim in a stranger's call: nowhere, everywhere, everywhere but in one place, and in one place only. */
function namings(scene: Scene, victim: string, thief: string) {
  const count = countOf(scene.recorded.call, victim);
  const places = Array.from({ length: count }, (_, i) => i);
  const edit = (what: string, apply: (call: Call) => Call) => ({ what, apply });
  return [
    undefined,
    ...(count > 0
      ? [edit("the verified wallet instead of the caller's", (call) => substitute(call, thief, victim))]
      : []),
    ...(count > 1
      ? places.flatMap((at) => [
          edit(`the verified wallet in place ${at + 1}`, (call) => substitute(call, thief, victim, at)),
          ...(count > 2
            ? [
                edit(`the caller's wallet in place ${at + 1}`, (call) =>
                  substitute(substitute(call, thief, victim), victim, thief, at),
                ),
              ]
            : []),
        ])
      : []),
  ];
}

const stolen: readonly Attack[] = [
  {
    name: "verification of another wallet",
    async *run(scene) {
      const { first, stranger } = scene.wallets;
      const way = await findWay(scene, { wallet: stranger });
      const ofVictim = await findWay(scene, {});
      if ("refusal" in way || "refusal" in ofVictim)
        return void (yield "refusal" in way ? way : (ofVictim as Verdict));
      const own = gainsOfOne(way.gains, ofVictim.gains);
      const verification = await scene.mint();
      const isTold = (outcome: Outcome) =>
        scene.isRelayed &&
        !scene.isTrusted &&
        "done" in outcome &&
        outcome.done.inputs.some(
          ([to, data]) => to === scene.target.address && data.includes(stranger.slice(2).toLowerCase()),
        );
      for (const [i, edit] of namings(scene, first, stranger).entries()) {
        const trial = async () => {
          const outcome = await scene.play(withEdit({ wallet: stranger, verification, edit }, way.edit));
          // If the victim is named and gets it, nothing is stolen, unless the sender has told the contract who acts.
          const isStolen =
            i === 0
              ? isAdmitted(outcome, way.gains)
              : overlap(own, effectOf(outcome)) >= 0.5 ||
                (isTold(outcome) && isAdmitted(outcome, ofVictim.gains));
          if (!isStolen) return undefined;
          return `${scene.short} lets anybody who sees a verification spend it for a wallet of their own: verify msg.sender, or let everything go to the verified user.`;
        };
        yield await verdictOf(scene, trial, { change: edit?.what });
      }
    },
  },
  {
    name: "sender appended by anybody",
    async *run(scene) {
      const { first, stranger } = scene.wallets;
      if (scene.isTrusted) return;
      const way = await findWay(scene, { wallet: stranger });
      const ofVictim = await findWay(scene, {});
      if ("refusal" in way || "refusal" in ofVictim)
        return void (yield "refusal" in way ? way : (ofVictim as Verdict));
      const verification = await scene.mint();
      const made = await scene.branch(() => scene.play({ verification, edit: way.edit }));
      const [, input] =
        ("done" in made && made.done.inputs.find(([to]) => to === scene.target.address)) || [];
      if (input === undefined) return;
      const own = first.slice(2).toLowerCase();
      // Arguments fill whole words, after the four bytes of the function.
      const isAppended = input.endsWith(own) && (input.length - "0x".length - 8) % 64 === own.length;
      const bare = isAppended ? input.slice(0, -own.length) : input;
      const { value } = scene.recorded.call;
      for (const isContract of [false, true]) {
        const trial = async () => {
          const intruder = isContract ? (await intrude(scene)).intruder : stranger;
          const isIn = async (data: string, what: string) => {
            const call: Call = { from: stranger, to: scene.target.address, data, value };
            const outcome = isContract
              ? await through(scene, intruder, stranger, call)
              : await scene.send(what, call);
            return [way.gains, ofVictim.gains].some((gains) => isAdmitted(outcome, gains));
          };
          // A call that anybody may make for its person needs no sender.
          if (await scene.branch(() => isIn(bare, "A stranger makes the first wallet's call.")))
            return undefined;
          // As an ERC-2771 forwarder does it, which neither the stranger nor a contract of theirs is.
          if (!(await isIn(bare + own, "A stranger appends the first wallet's address."))) return undefined;
          return `${scene.short} takes its sender from call data that anybody can write: believe it from the trusted forwarder only, as ERC2771Context does.`;
        };
        yield await verdictOf(scene, trial, { change: "another sender, appended" });
      }
    },
  },
  {
    name: "call through a router",
    async *run(scene) {
      const { first } = scene.wallets;
      if (scene.isTrusted) return;
      yield await scene.branch(async () => {
        const { intruder } = await intrude(scene);
        const passOn = (play: Play) =>
          scene.branch(async () => {
            const call = await scene.draft({ wallet: intruder, ...play });
            if (call === undefined) return { outcome: { revert: "0x" } };
            const outcome = await through(scene, intruder, first, call);
            const found = scene.found(
              `${scene.short} admits a contract with the verification of the wallet that began the transaction: verify msg.sender, never tx.origin.`,
            );
            return { outcome, found };
          });
        const { outcome: asItself } = await passOn({ identity: "carol" });
        const verification = await scene.mint();
        const { outcome, found } = await passOn({ verification });
        // Contracts may be kept out altogether; then people are let in, at least, whichever wallet they have.
        const control = await scene.gains({});
        const another = await scene.gains({ wallet: scene.wallets.stranger });
        const ofAll =
          "gains" in control && "gains" in another ? shared(control.gains, another.gains) : undefined;
        const gains = "done" in asItself ? effectOf(asItself) : ofAll;
        if (gains === undefined) return control as Verdict;
        if (found !== undefined && isAdmitted(outcome, gains)) return { found };
        return "done" in asItself ? "held" : { refusal: scene.sayRefusal(asItself) };
      });
    },
  },
  {
    name: "call from a constructor",
    async *run(scene) {
      const { first } = scene.wallets;
      if (scene.isTrusted) return;
      const outside = await scene.branch(async () => {
        const { intruder } = await intrude(scene);
        const call = await scene.draft({ wallet: intruder });
        return call === undefined ? { revert: "0x" } : through(scene, intruder, first, call);
      });
      // A contract that lets contracts in keeps none out.
      if ("done" in outside) return void (yield "held");
      yield await verdictOf(scene, async () => {
        const nonce = await scene.stage.node.request({
          method: "eth_getTransactionCount",
          params: [first, "latest"],
        });
        const future = getCreateAddress({ from: first, nonce: Number(nonce) });
        const call = await scene.branch(() => scene.draft({ wallet: future }));
        if (call === undefined) return { refusal: scene.sayRefusal(outside) };
        const inside = await intrude(scene, call);
        if (!("done" in inside)) return undefined;
        return `${scene.short} keeps contracts out by their code, and admits one that claims in its constructor: the check of the code protects nothing, so leave it out.`;
      });
    },
  },
];

/** The other signature that the same key could have written (ERC-2098 apart). */
export function secondForm({ signature, ...rest }: SignedVerification): SignedVerification {
  const s = BigInt(dataSlice(signature, 32, 64));
  const v = signature.endsWith("1b") ? "0x1c" : "0x1b";
  return { ...rest, signature: concat([dataSlice(signature, 0, 32), toBeHex(curveOrder - s, 32), v]) as Hex };
}

export const forging: readonly Attack[] = [...forgeries.map(forge), removed, chosen, ...stolen];
