import { type Call, encodeCall } from "../../client/index.ts";
import type { SignedVerification } from "../../protocol/verification.ts";
import type { OwnConsumer } from "./config.ts";

/** A consumer, as the demo presents it. */
export interface Consumer {
  readonly name: string;
  readonly address: string;
  /** What one does there. */
  readonly action: string;
  /** What it shows. */
  readonly purpose: string;
  /** What the wallet has to send: one call, or several as one batch. */
  calls(verification: SignedVerification, context: { account: string; token: string }): readonly Call[];
  /** The token that it takes, where it takes one. */
  readonly takesToken: boolean;
}

const amount = 25n * 10n ** 18n;

const known: Readonly<
  Record<
    string,
    Pick<Consumer, "action" | "purpose" | "takesToken"> & {
      calls(
        to: string,
        verification: SignedVerification,
        context: { account: string; token: string },
      ): readonly Call[];
    }
  >
> = {
  IncentiveProgram: {
    action: "Enrol",
    purpose: "A claim: everyone who meets the condition may enrol, once per person.",
    takesToken: false,
    calls: (to, verification) => [
      {
        to,
        data: encodeCall({
          abi: "enroll(bytes32 identityHash, uint40 expiration, bytes signature)",
          verification,
        }),
      },
    ],
  },
  MembershipPass: {
    action: "Mint my pass",
    purpose: "A mint: one token for each person.",
    takesToken: false,
    calls: (to, verification) => [
      {
        to,
        data: encodeCall({
          abi: "mint(bytes32 identityHash, uint40 expiration, bytes signature)",
          verification,
        }),
      },
    ],
  },
  Ballot: {
    action: "Vote yes",
    purpose: "A vote: one for each person, whose account was proven since the ballot opened.",
    takesToken: false,
    calls: (to, verification) => [
      {
        to,
        data: encodeCall({
          abi: "vote(bool support, bytes32 identityHash, uint40 expiration, bytes signature)",
          verification,
          args: { support: true },
        }),
      },
    ],
  },
  VerifiedVault: {
    action: "Deposit in one batch",
    purpose:
      "A deposit: three calls (get tokens, allow the vault to take them, deposit) go as one batch, all or nothing.",
    takesToken: true,
    calls: (to, verification, { account, token }) => [
      {
        to: token,
        data: encodeCall({ abi: "mint(address to, uint256 amount)", args: { to: account, amount } }),
      },
      {
        to: token,
        data: encodeCall({ abi: "approve(address spender, uint256 amount)", args: { spender: to, amount } }),
      },
      {
        to,
        data: encodeCall({
          abi: "deposit(uint256 amount, bytes32 identityHash, uint40 expiration, bytes signature)",
          verification,
          args: { amount },
        }),
      },
    ],
  },
};

/**
 * The entry points of a consumer that take a verification and nothing else, which is all that the demo could know to
 * send.
 */
export function listEntryPoints({ name, address, abi }: OwnConsumer): readonly Consumer[] {
  const functions = (abi as readonly AbiItem[]).filter(
    ({ type, stateMutability, inputs = [] }) =>
      type === "function" &&
      stateMutability !== "view" &&
      stateMutability !== "pure" &&
      inputs.map((input) => input.type).join() === "bytes32,uint40,bytes",
  );
  return functions.map((entryPoint) => ({
    name: functions.length === 1 ? name : `${name}.${entryPoint.name}`,
    address,
    action: `Call ${entryPoint.name}`,
    purpose: `A contract of your own; its entry point ${entryPoint.name} takes a verification.`,
    takesToken: false,
    calls: (verification) => [
      {
        to: address,
        data: encodeCall({
          abi: `${entryPoint.name}(bytes32 identityHash, uint40 expiration, bytes signature)`,
          verification,
        }),
      },
    ],
  }));
}

interface AbiItem {
  readonly type: string;
  readonly name?: string;
  readonly inputs?: readonly { readonly type: string }[];
  readonly stateMutability?: string;
}

/** The example consumers among what was deployed. */
export function listConsumers(addresses: Readonly<Record<string, string>>): readonly Consumer[] {
  return Object.entries(known).flatMap(([name, { calls, ...rest }]) => {
    const address = addresses[name];
    if (address === undefined) return [];
    return [
      { ...rest, name, address, calls: (verification, context) => calls(address, verification, context) },
    ];
  });
}
