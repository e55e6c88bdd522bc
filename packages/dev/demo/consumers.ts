import { type Call, encodeCall } from "@hardhat-identity/client";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import type { OwnConsumer } from "./config.ts";

/** A call that is to be made, before there is a verification. */
export interface PlannedCall {
  readonly to: string;
  /** The function, as Solidity writes it. */
  readonly abi: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

const verification = "bytes32 identityHash, uint40 expiration, bytes signature";

/** The call of an entry point takes the verification; what goes before it in a batch does not. */
export function encodePlanned({ to, abi, args }: PlannedCall, signed: SignedVerification): Call {
  const isEntryPoint = abi.endsWith(`${verification})`);
  return { to, data: encodeCall({ abi, args, verification: isEntryPoint ? signed : undefined }) };
}

type Context = { readonly account: string; readonly token: string };

/** A consumer, as the demo presents it. */
export interface Consumer {
  readonly name: string;
  readonly address: string;
  /** The example that it is, or else the entry point of a contract of the project's own. */
  readonly is: { readonly example: ExampleName } | { readonly entryPoint: string };
  /** The calls for the wallet to send: one, or several as one batch. */
  calls(context: Context): readonly PlannedCall[];
  /** Whether it takes a token. */
  readonly takesToken: boolean;
}

const amount = 25n * 10n ** 18n;
const vote = { proposal: 0n, support: true };

const examples = {
  Airdrop: (to: string) => [{ to, abi: `claim(${verification})` }],
  MembershipPass: (to: string) => [{ to, abi: `mint(${verification})` }],
  Ballot: (to: string) => [{ to, abi: `vote(uint256 proposal, bool support, ${verification})`, args: vote }],
  VerifiedVault: (to: string, { account, token }: Context) => [
    { to: token, abi: "mint(address to, uint256 amount)", args: { to: account, amount } },
    { to: token, abi: "approve(address spender, uint256 amount)", args: { spender: to, amount } },
    { to, abi: `deposit(uint256 amount, ${verification})`, args: { amount } },
  ],
};

export type ExampleName = keyof typeof examples;

/** The example consumers among what was deployed. */
export function listExamples(addresses: Readonly<Record<string, string>>): readonly Consumer[] {
  const deployed = (Object.keys(examples) as ExampleName[]).filter((name) => addresses[name] !== undefined);
  return deployed.map((example) => {
    const address = addresses[example] ?? "";
    const calls = (context: Context) => examples[example](address, context);
    return { name: example, address, is: { example }, takesToken: example === "VerifiedVault", calls };
  });
}

type AbiItem = { type: string; name?: string; inputs?: { type: string }[]; stateMutability?: string };

/**
 * The entry points of a consumer that take a verification and nothing else, which is all that the demo could know to
 * send.
 */
export function listEntryPoints({ name, address, abi }: OwnConsumer): readonly Consumer[] {
  const functions = (abi as readonly AbiItem[]).filter(
    ({ type, stateMutability = "", inputs = [] }) =>
      type === "function" &&
      !["view", "pure"].includes(stateMutability) &&
      inputs.map((input) => input.type).join() === "bytes32,uint40,bytes",
  );
  return functions.map(({ name: entryPoint = "" }) => ({
    name: functions.length === 1 ? name : `${name}.${entryPoint}`,
    address,
    is: { entryPoint },
    takesToken: false,
    calls: () => [{ to: address, abi: `${entryPoint}(${verification})` }],
  }));
}
