import { type Hex, toQuantity } from "@hardhat-identity/protocol/hex";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import { includesAddress } from "./authorized.ts";
import type { Execution } from "./execution.ts";
import { delegation, encodeBatch, executorAddress, placeExecutor } from "./executor.ts";
import type { DevelopmentNode } from "./node.ts";
import type { Call, SendCallsRequest } from "./sendCallsRequest.ts";

/** An account's authorization of a delegation (EIP-7702). Quantities are hex. */
export interface Authorization {
  readonly chainId: string;
  /** The contract that the account delegates to. */
  readonly address: string;
  readonly nonce: string;
}

/** Signs an authorization with an account's own key. Returns `undefined` if the key is not known. */
export type SignAuthorization = (
  account: string,
  authorization: Authorization,
) => Promise<{ readonly yParity: string; readonly r: string; readonly s: string } | undefined>;

/** The outcome of submitting a batch. */
export interface Submission {
  /** Hashes of the transactions that reached the node, in order. */
  readonly hashes: readonly string[];
  /** The node's error for the transaction that failed at once. */
  readonly failure: string | undefined;
  /** Revert data of the last transaction, or of its simulation when it was sent; hex. */
  readonly revertData?: Hex | undefined;
}

interface Transaction {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly data: string;
  readonly nonce: string;
  readonly gas?: string;
  readonly authorizationList?: readonly object[];
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
}

/** The gas cap of EIP-7825, above which a node may refuse a transaction. */
const transactionGasCap = 1n << 24n;

/** Submits a batch without waiting until it is mined. A single call never needs the executor. */
export async function submitBatch(
  wallet: {
    readonly node: DevelopmentNode;
    readonly executorCode: string;
    readonly signAuthorization: SignAuthorization;
  },
  request: SendCallsRequest,
  execution: Execution,
): Promise<Submission> {
  const { node } = wallet;
  const { from, calls } = request;
  if (!includesAddress(await node.accounts(), from)) await node.impersonate(from);
  if (execution === "sequential" || calls.length === 1) return submitInOrder(node, from, calls);

  await placeExecutor(node, wallet.executorCode);
  const nonce = await node.nonce(from, "pending");
  const upgrade =
    execution === "atomic" ? {} : await upgradeAccount(node, request, nonce, wallet.signAuthorization);
  const data = encodeBatch(calls);
  const transaction = { from, to: from, value: "0x0", data, nonce: toQuantity(nonce), ...upgrade };
  return send(
    node,
    transaction,
    calls.reduce((sum, { gasLimit = 0n }) => sum + gasLimit, 0n),
  );
}

/** Submits call by call until one fails. Does not wait for transactions that the node does not mine at once. */
async function submitInOrder(
  node: DevelopmentNode,
  from: string,
  calls: readonly Call[],
): Promise<Submission> {
  const hashes: string[] = [];
  let revertData: Hex | undefined;
  for (const { to, value, data, gasLimit } of calls) {
    const nonce = toQuantity(await node.nonce(from, "pending"));
    const gas = gasLimit === undefined ? {} : { gas: toQuantity(gasLimit) };
    const sent = await send(node, { from, to, value: toQuantity(value), data, nonce, ...gas }, 0n);
    hashes.push(...sent.hashes);
    revertData ??= sent.revertData;
    if (sent.failure !== undefined) return { ...sent, hashes };
    const receipt = sent.hashes[0] === undefined ? null : await node.receipt(sent.hashes[0]);
    if (receipt !== null && BigInt(receipt.status) === 0n) break;
  }
  return { hashes, failure: undefined, revertData };
}

/**
 * Upgrades an account. The batch's transaction includes the account's authorization, so that upgrade and batch are
 * atomic. In two cases the node sets the account's code beforehand instead: if the account is impersonated, because
 * nobody has its key; and if the node does not mine at once, because its pool does not count the nonce that an
 * authorization uses, and later transactions would have a wrong nonce.
 */
async function upgradeAccount(
  node: DevelopmentNode,
  { from, chainId }: SendCallsRequest,
  nonce: bigint,
  signAuthorization: SignAuthorization,
): Promise<Partial<Transaction>> {
  // The sender's nonce is increased before the authorizations are checked.
  const authorization = { chainId, address: executorAddress, nonce: toQuantity(nonce + 1n) };
  const signature = (await node.minesAtOnce()) ? await signAuthorization(from, authorization) : undefined;
  if (signature === undefined) {
    await node.setCode(from, delegation);
    return {};
  }
  // A network with a fixed gas price would otherwise add `gasPrice`, which a transaction with an authorization lacks.
  const price = await node.gasPrice();
  return {
    authorizationList: [{ ...authorization, ...signature }],
    maxFeePerGas: price,
    maxPriorityFeePerGas: price,
  };
}

async function send(node: DevelopmentNode, transaction: Transaction, gasLimits: bigint): Promise<Submission> {
  const { gas, revertData } = await chooseGas(node, transaction, gasLimits);
  const before = await node.blockNumber();
  try {
    const hash = await node.request({
      method: "eth_sendTransaction",
      params: [{ ...transaction, gas }],
    });
    return { hashes: [String(hash)], failure: undefined, revertData };
  } catch (error) {
    // A node that mines at once reports a revert as an error, although the transaction is mined.
    const hash = await findMined(node, transaction, before);
    if (hash === undefined && transaction.gas === undefined && BigInt(gas) > transactionGasCap) {
      const capped = await send(node, { ...transaction, gas: toQuantity(transactionGasCap) }, 0n);
      return { ...capped, revertData: capped.revertData ?? revertData };
    }
    const hashes = hash === undefined ? [] : [hash];
    return { hashes, failure: messageOf(error), revertData: revertDataOf(error) ?? revertData };
  }
}

/**
 * Estimates gas on the pending state. For a transaction that would fail, returns enough gas to mine it nevertheless, and
 * its revert data.
 */
async function chooseGas(
  node: DevelopmentNode,
  transaction: Transaction,
  gasLimits: bigint,
): Promise<{ gas: string; revertData: Hex | undefined }> {
  if (transaction.gas !== undefined) return { gas: transaction.gas, revertData: undefined };
  try {
    const gas = await node.request({ method: "eth_estimateGas", params: [transaction, "pending"] });
    return { gas: String(gas), revertData: undefined };
  } catch (error) {
    const blockGasLimit = BigInt((await node.block("pending"))?.gasLimit ?? transactionGasCap);
    const enough = transactionGasCap + 2n * gasLimits;
    const gas = toQuantity(enough < blockGasLimit ? enough : blockGasLimit);
    return { gas, revertData: revertDataOf(error) };
  }
}

/** Finds a transaction mined after a block by its sender and nonce, because an error over HTTP does not name it. */
async function findMined(
  node: DevelopmentNode,
  transaction: Transaction,
  after: bigint,
): Promise<string | undefined> {
  if ((await node.nonce(transaction.from, "latest")) <= BigInt(transaction.nonce)) return undefined;
  for (let number = await node.blockNumber(); number > after; number--) {
    const mined = (await node.block(number))?.transactions.find(
      ({ from, nonce }) =>
        includesAddress([from], transaction.from) && BigInt(nonce) === BigInt(transaction.nonce),
    );
    if (mined !== undefined) return mined.hash;
  }
  return undefined;
}

const revertDataOf = (error: unknown) => readRpcError(error).data as Hex | undefined;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
