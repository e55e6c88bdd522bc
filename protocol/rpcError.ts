/** An error of a node or a wallet, wherever a library has put it. */
export interface RpcErrorContent {
  /** JSON-RPC or EIP-1193 code: the outermost that says more than "something failed". */
  readonly code: number | undefined;
  /** Whether the user refused. */
  readonly isRefusal: boolean;
  /** The first line of the innermost message, without the request's own data. */
  readonly message: string;
  /** Revert data, hex; `0x` for a revert without a reason, `undefined` if nothing says that it is a revert. */
  readonly data: string | undefined;
}

// ethers has the node's answer in `info.error` or `error`, viem in `cause`, MetaMask's gas estimation in
// `data.originalError`.
const places = ["info", "error", "cause", "data", "originalError"];

// WalletConnect's codes (CAIP-25) are 5000 to 5003.
const refusals = [4001, 5000, 5001, 5002, 5003];
// Wrappers: viem's unknown error, and JSON-RPC's internal error.
const generic = [-1, -32603];
// Some wallets refuse with a general code, and ethers and this client with codes of their own. A contract's words are not the user's.
const refusalText =
  /^(?!.*revert).*(?:\buser (?:rejected|denied|declined|cancell?ed)\b|\b(?:ACTION|USER)_REJECTED\b)/is;

/** Reads a JSON-RPC code, the outermost revert data and the innermost message from an error. */
export function readRpcError(error: unknown): RpcErrorContent {
  const codes: number[] = [];
  let data: string | undefined;
  let message = String(error);
  let saysRefusal = false;
  const queue: unknown[] = [error];
  // A library's error may refer to itself. No real one is nested this deep.
  for (let i = 0; i < 40; i++) {
    const value = queue[i];
    if (typeof value !== "object" || value === null) continue;
    const fields = value as Record<string, unknown>;
    if (typeof fields.code === "number") codes.push(fields.code);
    if (typeof fields.data === "string" && /^0x([0-9a-f]{2})*$/i.test(fields.data)) data ??= fields.data;
    if (typeof fields.message === "string") message = fields.message;
    saysRefusal ||= refusalText.test(`${fields.code} ${fields.message}`);
    queue.push(...places.map((place) => fields[place]));
  }
  const refusal = codes.find((code) => refusals.includes(code));
  const [line = ""] = message.split("\n");
  return {
    code: refusal ?? codes.find((code) => !generic.includes(code)) ?? codes[0],
    isRefusal: refusal !== undefined || (saysRefusal && data === undefined),
    // More than 32 bytes come from the request, such as a signature.
    message: line.replace(/0x[0-9a-f]{65,}/gi, "0x…").slice(0, 300),
    data,
  };
}
