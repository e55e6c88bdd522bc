// Is a verification checked, and whose is it?

import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { getCreateAddress } from "ethers";
import { readCode } from "hardhat-identity/internal/consumer/erc1967";
import type { Binding } from "hardhat-identity/internal/consumer/mint";
import { type Attack, firstOf, short, type Trial, tryClaim } from "../attack.ts";
import { gainsOfOne, overlap } from "../effect.ts";
import { addressesOf, freeLeavesOf } from "../functions.ts";
import { effectOf, madeUp, type Scene, valuesAt } from "../scene.ts";
import { accountOf } from "../stage.ts";

/** A verification that must be refused. */
interface Forgery extends Trial {
  /** The false parts that it is bound to. A contract may wrongly take them from its caller, under any name. */
  readonly foreign?: readonly (keyof Binding)[];
}

const forgeries: readonly Forgery[] = [
  {
    name: "made-up verification",
    means: "admits a made-up verification: it is not checked. Call _verifyOnce, or _verify.",
    claim: () => ({ verification: madeUp }),
  },
  {
    name: "verification signed by a stranger",
    means: "admits a verification that a stranger has signed: ask the registry, as _verify does.",
    claim: () => ({ mint: { flaw: "wrongSigner" } }),
  },
  {
    name: "expired verification",
    means: "admits an expired verification: check the expiration that was signed, as _verify does.",
    claim: () => ({ mint: { flaw: "expired" } }),
  },
  {
    name: "verification of another consumer",
    foreign: ["consumer", "policyHash"],
    means: "admits a verification for another contract: the signature must bind this one, as _verify checks.",
    claim: () => ({ mint: { flaw: "otherConsumer" } }),
  },
  {
    name: "verification of another chain",
    foreign: ["chainId", "policyHash"],
    means: "admits a verification of another chain: the signature must bind the chain, as _verify checks.",
    claim: () => ({ mint: { chainId: 987_654 } }),
  },
  {
    name: "verification of another registry",
    foreign: ["registry"],
    means:
      "admits a verification for another registry: the signature must bind the registry, as _verify checks.",
    claim: () => ({ mint: { registry: accountOf("another registry") } }),
  },
];

/** Tries a forgery, and tells the contract in each place what it is bound to. */
const forge = ({ foreign = [], ...trial }: Forgery): Attack => ({
  name: trial.name,
  async run(scene, entry) {
    const claim = trial.claim?.(scene);
    const bound: Partial<Binding> = await scene.mint(claim);
    await standIn(scene, bound.consumer);
    const free = freeLeavesOf(entry);
    const told = foreign.flatMap((what) =>
      free
        .filter(({ type }) => takes[what]?.test(type.type))
        .map(({ path }) => ({ at: valuesAt(entry, [[path, bound[what]]]) })),
    );
    return firstOf([{}, ...told], (choice) =>
      scene.branch(() => tryClaim({ ...trial, claim: () => ({ ...claim, choice }) }).run(scene, entry)),
    );
  },
});

/** The types of parameters that take what a verification is bound to. */
const takes: Partial<Record<keyof Binding, RegExp>> = {
  consumer: /^address$/,
  registry: /^address$/,
  chainId: /^uint(32|64|128|256)$/,
  policyHash: /^bytes32$/,
};

/** Puts a copy of the contract where another consumer should be, so that it answers the same policy. */
async function standIn({ stage: { node }, target: { address } }: Scene, consumer = address): Promise<void> {
  if (consumer === address) return;
  const code = await readCode(node, address);
  await node.request({ method: "hardhat_setCode", params: [consumer, code] });
}

const chosen: Attack = {
  name: "registry of the caller's choice",
  async run(scene, entry) {
    const gains = await scene.gains(entry);
    const addresses = addressesOf(entry);
    return firstOf(addresses, ({ path }) =>
      scene.branch(async () => {
        const at = valuesAt(entry, [[path, scene.rogueRegistry]]);
        const mint = scene.rogueMint;
        const outcome = await scene.claim(entry, { mint, choice: { at } });
        if (!scene.isAdmitted(outcome, gains)) return undefined;
        return scene.found(
          `${short(entry)} asks the registry that its caller names, which may be the caller's own: keep the registry in an immutable.`,
        );
      }),
    );
  },
};

const stolen: readonly Attack[] = [
  {
    name: "verification of another wallet",
    async run(scene, entry) {
      const { first, stranger } = scene.wallets;
      const gains = await scene.gains(entry, stranger);
      const own = gainsOfOne(gains, await scene.gains(entry));
      const verification = await scene.mint();
      const addresses = addressesOf(entry);
      const victim = addresses.map(({ path }): [string, string] => [path, first]);
      // The thief wherever an address is asked for; whom the verification names; the victim everywhere, and everywhere but in
      // one place. A pool says truly for whom it calls.
      const plans = [
        new Map(addresses.map(({ path }): [string, string] => [path, stranger])),
        ...(entry.sender === undefined && victim.length > 0
          ? [
              new Map<string, string>(),
              new Map(victim),
              ...victim.map(([path]) => new Map([...victim, [path, stranger]])),
            ]
          : []),
      ];
      return firstOf(plans.entries(), ([i, plan]) =>
        scene.fresh(async () => {
          const at = valuesAt(entry, plan);
          const outcome = await scene.claim(entry, {
            wallet: stranger,
            verification,
            choice: { at },
          });
          // If the victim is named and gets it, nothing is stolen.
          const isStolen =
            i === 0 ? scene.isAdmitted(outcome, gains) : overlap(own, effectOf(outcome)) >= 0.5;
          if (!isStolen) return undefined;
          return scene.found(
            `${short(entry)} lets anybody who sees a verification spend it for a wallet of their own: verify msg.sender, or let everything go to the verified user.`,
          );
        }),
      );
    },
  },
  {
    name: "sender appended by anybody",
    async run(scene, entry) {
      const { first, stranger } = scene.wallets;
      const gains = [await scene.gains(entry, stranger), await scene.gains(entry)];
      const verification = await scene.mint();
      const addresses = addressesOf(entry);
      const at = valuesAt(
        entry,
        addresses.map(({ path }) => [path, stranger]),
      );
      // As an ERC-2771 forwarder does it, which the stranger is not.
      const claim = { wallet: stranger, verification, appended: first, choice: { at } };
      const outcome = await scene.claim(entry, claim);
      if (!gains.some((each) => scene.isAdmitted(outcome, each))) return undefined;
      return scene.found(
        `${short(entry)} takes its sender from call data that anybody can write: believe it from the trusted forwarder only, as ERC2771Context does.`,
      );
    },
  },
  {
    name: "call through a router",
    async run(scene, entry) {
      const { first } = scene.wallets;
      const { intruder } = await scene.intrude();
      const through = async (verification?: SignedVerification) => {
        const identity = verification === undefined ? "carol" : undefined;
        return scene.through(
          intruder,
          first,
          await scene.callOf(entry, { wallet: intruder, identity, verification }),
        );
      };
      // A contract has gains of its own, if it is let in at all.
      const asItself = await scene.fresh(() => through());
      const verification = await scene.mint();
      const outcome = await through(verification);
      const gains = "done" in asItself ? effectOf(asItself) : await scene.gains(entry);
      if (!scene.isAdmitted(outcome, gains)) return undefined;
      return scene.found(
        `${short(entry)} admits a contract with the verification of the wallet that began the transaction: verify msg.sender, never tx.origin.`,
      );
    },
  },
  {
    name: "call from a constructor",
    async run(scene, entry) {
      const { first } = scene.wallets;
      const outside = await scene.fresh(async () => {
        const { intruder } = await scene.intrude();
        const call = await scene.callOf(entry, { wallet: intruder });
        return scene.through(intruder, first, call);
      });
      const nonce = Number(
        await scene.stage.node.request({ method: "eth_getTransactionCount", params: [first, "latest"] }),
      );
      const future = getCreateAddress({ from: first, nonce });
      const claim = await scene.callOf(entry, { wallet: future });
      const inside = await scene.intrude({ to: scene.target.address, data: claim.data, value: claim.value });
      if ("done" in outside || !("done" in inside)) return undefined;
      return scene.found(
        `${short(entry)} keeps contracts out by their code, and admits one that claims in its constructor: the check of the code protects nothing, so leave it out.`,
      );
    },
  },
];

export const forging: readonly Attack[] = [...forgeries.map(forge), chosen, ...stolen];
