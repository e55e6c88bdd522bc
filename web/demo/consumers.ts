import { type Call, encodeCall } from "../../client/index.ts";
import type { SignedVerification } from "../../protocol/verification.ts";
import type { OwnConsumer } from "./config.ts";

/** A call that is to be made, before there is a verification. */
export interface PlannedCall {
  readonly to: string;
  /** The function, as Solidity writes it. */
  readonly abi: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly takesVerification: boolean;
}

export function encodePlanned(
  { to, abi, args, takesVerification }: PlannedCall,
  verification: SignedVerification,
): Call {
  return { to, data: encodeCall({ abi, args, verification: takesVerification ? verification : undefined }) };
}

/** A consumer, as the demo presents it. */
export interface Consumer {
  readonly name: string;
  readonly address: string;
  /** The example that it is, or else the entry point of a contract of the project's own. */
  readonly is: { readonly example: ExampleName } | { readonly entryPoint: string };
  /** What the wallet has to send: one call, or several as one batch. */
  calls(context: { account: string; token: string }): readonly PlannedCall[];
  /** The token that it takes, where it takes one. */
  readonly takesToken: boolean;
}

const verification = "bytes32 identityHash, uint40 expiration, bytes signature";
const amount = 25n * 10n ** 18n;

type WriteCalls = (to: string, context: { account: string; token: string }) => readonly PlannedCall[];

const verified = (to: string, abi: string, args: PlannedCall["args"] = {}): PlannedCall => ({
  ...{ to, abi, args },
  takesVerification: true,
});

const plain = (to: string, abi: string, args: PlannedCall["args"]): PlannedCall => ({
  ...{ to, abi, args },
  takesVerification: false,
});

const examples = {
  Airdrop: (to) => [verified(to, `claim(${verification})`)],
  MembershipPass: (to) => [verified(to, `mint(${verification})`)],
  Ballot: (to) => [
    verified(to, `vote(uint256 proposal, bool support, ${verification})`, { proposal: 0n, support: true }),
  ],
  VerifiedVault: (to, { account, token }) => [
    plain(token, "mint(address to, uint256 amount)", { to: account, amount }),
    plain(token, "approve(address spender, uint256 amount)", { spender: to, amount }),
    verified(to, `deposit(uint256 amount, ${verification})`, { amount }),
  ],
} satisfies Readonly<Record<string, WriteCalls>>;

export type ExampleName = keyof typeof examples;

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
  return functions.map(({ name: entryPoint = "" }) => ({
    name: functions.length === 1 ? name : `${name}.${entryPoint}`,
    address,
    is: { entryPoint },
    takesToken: false,
    calls: () => [verified(address, `${entryPoint}(${verification})`)],
  }));
}

interface AbiItem {
  readonly type: string;
  readonly name?: string;
  readonly inputs?: readonly { readonly type: string }[];
  readonly stateMutability?: string;
}

/** The example consumers among what was deployed. */
export function listExamples(addresses: Readonly<Record<string, string>>): readonly Consumer[] {
  return (Object.keys(examples) as ExampleName[]).flatMap((example) => {
    const address = addresses[example];
    if (address === undefined) return [];
    const write: WriteCalls = examples[example];
    return [
      {
        ...{ name: example, address, is: { example }, takesToken: example === "VerifiedVault" },
        calls: (context) => write(address, context),
      },
    ];
  });
}
