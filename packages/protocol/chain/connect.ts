// Connects to a node over HTTP: conversations with limits, in JSON-RPC batches.
import type { Eip1193Connection } from "../eip1193.ts";
import { membersOf } from "../json.ts";
import { readText } from "../readText.ts";
import { within } from "../within.ts";
import { describeProxy, keepLoopbackFromProxies } from "./httpProxy.ts";
import { isOverLimit, isTooLarge } from "./nodeProblem.ts";

/**
 * A problem of a node that lasts until somebody changes a setting: its URL redirects, it is on another chain, or it forks a
 * chain of unknown hardforks.
 */
export type NodeProblem = "redirect" | "wrong-chain" | "unknown-hardfork";

/** The node did not answer in time, or its answer is not one of a node on this chain. */
export class ChainUnavailableError extends Error {
  override readonly name = "ChainUnavailableError";
  /** The thing to change. The message has the facts; callers know the setting. `undefined` for all other problems. */
  readonly kind: NodeProblem | undefined;
  /** Whether the node refused what it was asked, and would refuse it again. */
  readonly refused: boolean;
  /**
   * The limit that was exceeded, if it is known: `rate`, it was asked too often; `size`, for too much at once; `time`,
   * perhaps, for what takes it too long: it or a gateway before it gave no answer, or a failure.
   */
  readonly limit: "rate" | "size" | "time" | undefined;
  /** Milliseconds after which the node may be asked again, if it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & Partial<NodeRefusal> = {}) {
    super(message, options);
    this.kind = options.kind;
    this.refused = options.refused ?? false;
    this.limit = options.limit;
    this.retryAfterMs = options.retryAfterMs;
  }
}

type NodeRefusal = Pick<ChainUnavailableError, "kind" | "refused" | "limit" | "retryAfterMs">;

/** A node of one chain, reached over HTTP. */
export interface Chain {
  /**
   * Opens a conversation for one request of a client. Calls of the same turn of the event loop go out in one JSON-RPC
   * batch, which no other conversation shares. The whole conversation must end within the time limit, counted from its
   * first call. Otherwise, or if the node is on another chain, it fails with a {@link ChainUnavailableError}.
   */
  open(): Conversation;
  /** Whether the node's last answer took 1.5 seconds or more, or it owes one for so long and has answered nothing since. */
  isSlow?(): boolean;
}

export interface Conversation extends Eip1193Connection {
  /** Waits for an answer to another conversation, at most for the time limit of this one. */
  within<T>(answer: Promise<T>): Promise<T>;
}

/** Milliseconds from which a node is slow: a little less than a request waits for its turn. */
const slowMs = 1_500;

/**
 * @param options.url The node's JSON-RPC endpoint.
 * @param options.chainId The chain that the node must be on.
 * @param options.timeLimit Milliseconds for a conversation.
 * @param options.sizeLimit Bytes of one answer.
 * @param options.onRoundTrip Called after every batch: whether the node answered it, and how many seconds it took.
 * @param options.onDate Called with the time by the clock of what answers, unix milliseconds, if it says so.
 */
export function connectChain(options: {
  url: string;
  chainId: number;
  timeLimit?: number;
  sizeLimit?: number;
  onRoundTrip?: (outcome: "answered" | "failed", seconds: number) => void;
  onDate?: (time: number) => void;
}): Chain {
  const { url, chainId, timeLimit = 4_000, sizeLimit = 4 * 1024 * 1024, onRoundTrip, onDate } = options;
  keepLoopbackFromProxies();
  const pace = { lastTookMs: 0, owed: 0, owesSince: Number.POSITIVE_INFINITY };
  return {
    isSlow: () => Math.max(pace.lastTookMs, performance.now() - pace.owesSince) >= slowMs,
    open() {
      let endsAt: number | undefined;
      /** Milliseconds left. Work of the service before the first call does not count against the node. */
      const left = () => {
        const now = performance.now();
        endsAt ??= now + timeLimit;
        return endsAt - now;
      };
      let batch: Call[] = [];

      async function send(): Promise<void> {
        const calls = batch;
        batch = [];
        const limit = new AbortController();
        const timeLeft = left();
        const timer = setTimeout(() => limit.abort(), timeLeft);
        const started = performance.now();
        let outcome: "answered" | "failed" = "failed";
        pace.owed++;
        pace.owesSince = Math.min(pace.owesSince, started);
        try {
          if (timeLeft <= 0) throw timeout();
          const asked = [{ method: "eth_chainId", params: [] }, ...calls];
          const body = asked.map((call, id) => ({
            jsonrpc: "2.0",
            id,
            method: call.method,
            params: call.params,
          }));
          const text = await post({
            url,
            body: JSON.stringify(body),
            signal: limit.signal,
            // A transaction that was taken would be refused the second time.
            isRepeatable: !calls.some(({ method }) => method.startsWith("eth_send")),
            sizeLimit,
            onDate,
          });
          const [chain, ...answers] = readAnswers(text, asked.length);
          if (chain?.error) throw describeError("eth_chainId", chain.error);
          checkChain(chain?.result, chainId);
          outcome = "answered";
          pace.lastTookMs = performance.now() - started;
          pace.owesSince = pace.owed > 1 ? performance.now() : Number.POSITIVE_INFINITY;
          calls.forEach((call, i) => {
            settle(call, answers[i]);
          });
        } catch (error) {
          for (const call of calls) call.reject(error);
        } finally {
          clearTimeout(timer);
          pace.owed--;
          onRoundTrip?.(outcome, (performance.now() - started) / 1000);
        }
      }

      return {
        within: (answer) => within(left(), answer, timeout),
        request: ({ method, params = [] }) =>
          new Promise((resolve, reject) => {
            if (batch.push({ method, params, resolve, reject }) === 1) queueMicrotask(send);
          }),
      };
    },
  };
}

const timeout = () => new ChainUnavailableError("The node did not answer in time.", { limit: "time" });

interface Call {
  readonly method: string;
  readonly params: readonly unknown[] | object;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

async function post(request: {
  url: string;
  body: string;
  signal: AbortSignal;
  isRepeatable: boolean;
  sizeLimit: number;
  onDate: ((time: number) => void) | undefined;
}): Promise<string> {
  const { url, body, signal, isRepeatable, sizeLimit, onDate } = request;
  const headers = { "content-type": "application/json" };
  const ask = () => fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
  let hasBegun = false;
  try {
    const response = await ask().catch((error: unknown) => {
      if (isRepeatable && hasEnded(error)) return ask();
      throw error;
    });
    hasBegun = true;
    const time = Date.parse(response.headers.get("date") ?? "");
    if (!Number.isNaN(time)) onDate?.(time);
    if (!response.ok) {
      await response.body?.cancel();
      throw describeStatus(response, url);
    }
    return await readText(response, sizeLimit, () => {
      const problem = `The node answered with more than ${sizeLimit} bytes.`;
      return new ChainUnavailableError(problem, { limit: "size" });
    });
  } catch (error) {
    if (error instanceof ChainUnavailableError) throw error;
    if (signal.aborted) throw timeout();
    const problem = hasBegun ? "The node's answer broke off" : "The node cannot be reached";
    throw new ChainUnavailableError(`${problem}${describeCause(error)}${describeProxy(url)}.`, {
      limit: hasBegun ? "time" : undefined,
    });
  }
}

/** The limit of a node or its gateway that a status tells of. */
function limitOfStatus(status: number): "rate" | "size" | "time" | undefined {
  if (status === 429) return "rate";
  if (status === 413) return "size";
  return status >= 500 ? "time" : undefined;
}

function describeStatus({ status, headers }: Response, url: string): ChainUnavailableError {
  const location = headers.get("location") ?? "";
  if (status < 400 && URL.canParse(location, url)) {
    const { protocol, host } = new URL(location, url);
    return new ChainUnavailableError(
      `The node answered HTTP ${status}, a redirect to ${protocol}//${host}, which is not followed.`,
      { kind: "redirect" },
    );
  }
  const limit = limitOfStatus(status);
  const meaning = limit === "rate" ? ": it was asked too often" : "";
  const refused = status >= 400 && status < 500 && status !== 429;
  const retryAfterMs = readRetryAfter(headers.get("retry-after"));
  return new ChainUnavailableError(`The node answered HTTP ${status}${meaning}.`, {
    refused,
    limit,
    retryAfterMs,
  });
}

/** Reads both forms of RFC 9110: seconds, and a date. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  // JavaScript takes a fraction, or two numbers, for a date, too.
  const ms = /[A-Z]/.test(text) ? Date.parse(text) - Date.now() : Number.parseFloat(text) * 1_000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function readAnswers(text: string, count: number): Answer[] {
  let answers: Map<string, Answer>;
  try {
    const parsed = JSON.parse(text);
    // Some nodes refuse a whole batch with one error.
    if (parsed?.error) throw describeError("the batch", parsed.error);
    // Some gateways make texts of ids.
    answers = new Map(parsed.map((answer: { id: unknown }) => [String(answer.id), answer]));
  } catch (error) {
    if (error instanceof ChainUnavailableError) throw error;
    throw new ChainUnavailableError("The node's answer is not a JSON-RPC batch.", { limit: "size" });
  }
  return Array.from({ length: count }, (_, id) => {
    const answer = answers.get(String(id));
    if (answer === undefined || (answer.result === undefined && !answer.error)) {
      throw new ChainUnavailableError("The node's answer lacks a part of the request's batch.", {
        limit: "size",
      });
    }
    return answer;
  });
}

function checkChain(result: unknown, chainId: number): void {
  if (typeof result !== "string" || !/^0x[0-9a-f]{1,14}$/i.test(result)) {
    throw new ChainUnavailableError("The node does not answer eth_chainId.");
  }
  if (Number(result) !== chainId) {
    throw new ChainUnavailableError(`The node is on chain ${Number(result)}, not on chain ${chainId}.`, {
      kind: "wrong-chain",
    });
  }
}

function settle(call: Call, answer: Answer | undefined): void {
  if (!answer?.error) call.resolve(answer?.result);
  else call.reject(describeError(call.method, answer.error));
}

/** Without the error's text: nodes repeat the request in it. */
function describeError(
  method: string,
  { code, message }: NonNullable<Answer["error"]>,
): ChainUnavailableError {
  const text = String(message);
  const isRate = isOverLimit(Number(code), text);
  const meaning = isRate ? ": it was asked too often" : "";
  const sizeLimit = isTooLarge(text) ? "size" : undefined;
  const limit = isRate ? "rate" : sizeLimit;
  // A fork by Hardhat answers this.
  if (text.includes("No known hardfork")) {
    return new ChainUnavailableError("The node is a fork, and does not know the hardforks of its chain.", {
      kind: "unknown-hardfork",
      refused: true,
    });
  }
  return new ChainUnavailableError(
    `The node answered ${method} with JSON-RPC error ${Number(code)}${meaning}.`,
    { refused: !isRate, limit },
  );
}

/** Whether a connection ended. A gateway may close an idle one just as a request is sent on it (RFC 9112, section 9.3.1). */
export const hasEnded = (error: unknown): boolean =>
  ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].includes(String(membersOf(membersOf(error).cause).code));

/** The code of a failed connection, such as ECONNREFUSED; never the URL, which may carry a key. */
function describeCause(error: unknown): string {
  const { code, message } = membersOf(membersOf(error).cause);
  if (message === "bad port") return " (fetch refuses its port)";
  return typeof code === "string" ? ` (${code})` : "";
}
