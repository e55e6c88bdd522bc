/** An error of a node or a wallet, wherever a library has put it. */
export interface RpcErrorContent {
  /** JSON-RPC or EIP-1193 code. */
  readonly code: number | undefined;
  /** The first line of the innermost message, without the request's own data. */
  readonly message: string;
  /** Revert data, hex; `0x` for a revert without a reason, `undefined` if nothing says that it is a revert. */
  readonly data: string | undefined;
}

// ethers has the node's answer in `info.error` or `error`, viem in `cause`, MetaMask's gas estimation in
// `data.originalError`.
const places = ["info", "error", "cause", "data", "originalError"];

/** Finds the outermost JSON-RPC code and the outermost revert data in an error. */
export function readRpcError(error: unknown): RpcErrorContent {
  let code: number | undefined;
  let data: string | undefined;
  let message = String(error);
  const queue: unknown[] = [error];
  // A library's error may refer to itself. No real one is nested this deep.
  for (let i = 0; i < queue.length && i < 40; i++) {
    const value = queue[i];
    if (typeof value !== "object" || value === null) continue;
    const fields = value as Record<string, unknown>;
    if (typeof fields.code === "number") code ??= fields.code;
    if (typeof fields.data === "string" && /^0x([0-9a-f]{2})*$/i.test(fields.data)) data ??= fields.data;
    if (typeof fields.message === "string") message = fields.message;
    queue.push(...places.map((place) => fields[place]));
  }
  const [line = ""] = message.split("\n");
  // More than 32 bytes come from the request, such as a signature.
  return { code, data, message: line.replace(/0x[0-9a-f]{65,}/gi, "0x…").slice(0, 300) };
}
