// Runs a claim as its developer wrote it, and sees what it sends.
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import { Transaction, type TypedDataDomain, type TypedDataField, Wallet } from "ethers";
import type { Intercept } from "hardhat-identity/internal/testing/attack";
import { intercept } from "hardhat-identity/internal/testing/intercept";
import { keyOf } from "../wallets.ts";
import type { Change } from "./play.ts";
import { type Call, encodeCall, gasLimit, revertOf } from "./stage.ts";

/** One run of a claim. */
export interface Run {
  /** The transactions, as they were sent. */
  readonly calls: readonly Call[];
  readonly hashes: readonly string[];
  /** Present if it was refused. */
  readonly refusal?: Refusal;
  /** The transaction that takes the verification, if the run ended before it. */
  readonly draft?: Call;
  /** The messages that the claimant has signed. */
  readonly signed: readonly unknown[];
}

/** Why a claim was refused. */
export interface Refusal {
  /** Revert data; `0x` if there is none. */
  readonly revert: string;
  /** The message that the claim itself threw, if no transaction reverted. */
  readonly said?: string;
}

/** The changes on a claim's way to the node. */
export interface Passage {
  /** The number of the transaction to change or to end before; none by default. */
  readonly at?: number | undefined;
  readonly edit?: Change | undefined;
  /** The claimant, whose messages change with the transaction. Others sign what they have agreed to. */
  readonly claimant?: string | undefined;
  readonly isDraft?: boolean | undefined;
}

class Ended extends Error {}

/** Runs a claim. Its transactions pass by here on their way to the node. */
export async function runClaim(
  node: Eip1193Connection,
  claim: () => Promise<unknown>,
  { at, edit, claimant, isDraft = false }: Passage = {},
): Promise<Run> {
  const calls: Call[] = [];
  const hashes: string[] = [];
  const signed: unknown[] = [];
  let refusal: Refusal | undefined;
  let draft: Call | undefined;
  let failure: unknown;

  /** Hashes of signed transactions → those of what was sent instead. */
  const sentAs = new Map<unknown, unknown>();

  async function transact(
    params: Readonly<Record<string, unknown>>,
    pass: Pass,
    raw?: Transaction,
  ): Promise<unknown> {
    if (draft !== undefined) throw new Ended();
    const { from, to, data, input, value, gas: _, ...rest } = params;
    const asked: Call = {
      from: String(from),
      to: to === undefined || to === null ? undefined : String(to),
      data: String(data ?? input ?? "0x"),
      value: BigInt(String(value ?? 0)),
    };
    const isClaim = calls.length === at;
    const call = (isClaim ? edit?.apply(asked) : edit?.before?.(asked)) ?? asked;
    calls.push(call);
    if (isClaim && isDraft) {
      draft = call;
      throw new Ended();
    }
    try {
      const sent = { ...rest, ...encodeCall(call) };
      const isSigned = raw !== undefined && call === asked;
      const hash = await (isSigned
        ? pass("eth_sendRawTransaction", [raw.serialized])
        : pass("eth_sendTransaction", [sent]));
      hashes.push(String(hash));
      // The signer of a transaction knows its hash.
      if (raw !== undefined) sentAs.set(raw.hash, hash);
      return raw?.hash ?? hash;
    } catch (error) {
      try {
        refusal ??= { revert: revertOf(error) };
      } catch {
        failure ??= error;
      }
      throw error;
    }
  }

  const handler: Intercept = async (method, params, pass) => {
    const [first, second] = params as readonly unknown[];
    if (method === "eth_sendTransaction") return transact(Object(first), pass);
    if (method === "eth_estimateGas") return toQuantity(gasLimit);
    if (method === "eth_sendRawTransaction") {
      const raw = Transaction.from(String(first));
      const { from, to, data, value, type } = raw;
      if (type === 4) return pass(method, params);
      await pass("hardhat_impersonateAccount", [from]);
      return transact({ from, to, data, value }, pass, raw);
    }
    if (method.startsWith("eth_getTransaction")) return pass(method, [sentAs.get(first) ?? first]);
    if (method === "eth_signTypedData_v4") {
      const typed = typeof second === "string" ? JSON.parse(second) : Object(second);
      const isOwn = String(first).toLowerCase() === claimant?.toLowerCase();
      if (isOwn) signed.push(typed.message);
      const message = (isOwn && edit?.sign?.(typed.message)) || typed.message;
      return signTyped(String(first), { ...typed, message }) ?? pass(method, params);
    }
    if (method === "personal_sign") return signMessage(String(second), String(first)) ?? pass(method, params);
    return pass(method, params);
  };

  intercept(node, handler);
  try {
    await claim();
  } catch (error) {
    if (draft === undefined)
      refusal ??= { revert: readRpcError(error).data ?? "0x", said: sayShortly(error) };
  } finally {
    intercept(node, undefined);
  }
  if (failure !== undefined) throw failure;
  return { calls, hashes, signed, ...(refusal && { refusal }), ...(draft && { draft }) };
}

/** A message as EIP-712 has it, with what it is bound to. */
interface Typed {
  readonly domain: TypedDataDomain;
  readonly types: Record<string, TypedDataField[]>;
  readonly message: Record<string, unknown>;
}

type Pass = (method: string, params: readonly unknown[]) => Promise<unknown>;

function signTyped(address: string, typed: Typed): Promise<string> | undefined {
  const key = keyOf(address);
  if (key === undefined) return undefined;
  const { domain, types, message } = typed;
  const { EIP712Domain: _, ...own } = types;
  return new Wallet(key).signTypedData(domain, own, message);
}

function signMessage(address: string, message: string): Promise<string> | undefined {
  const key = keyOf(address);
  return key === undefined ? undefined : new Wallet(key).signMessage(Buffer.from(message.slice(2), "hex"));
}

const sayShortly = (error: unknown): string => String(Object(error).message ?? error).split("\n")[0] ?? "";
