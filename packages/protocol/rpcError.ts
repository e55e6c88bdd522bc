/** An error of a node or a wallet, wherever a library has put it. */
export interface RpcErrorContent {
  /** JSON-RPC or EIP-1193 code: the outermost that says more than "something failed". */
  readonly code: number | undefined;
  /** Whether the user refused. */
  readonly isRefusal: boolean;
  /** Whether a wallet, or the node that it uses, says that it signed or took nothing. */
  readonly isUnsent: boolean;
  /** Whether the code itself failed, such as by a call of what is no function. */
  readonly isProgramError: boolean;
  /** The first line of the innermost message, without the request's own data. */
  readonly message: string;
  /** Revert data, hex; `0x` for a revert without a reason, `undefined` if nothing says that it is a revert. */
  readonly data: string | undefined;
  /** The HTTP status of the answer, if a library names it. */
  readonly status: number | undefined;
}

// ethers has the node's answer in `info.error` or `error`, viem in `cause`, MetaMask's gas estimation in
// `data.originalError`.
const places = ["info", "error", "cause", "data", "originalError"];

// WalletConnect's codes (CAIP-25) are 5000 to 5003.
const refusals = [4001, 5000, 5001, 5002, 5003];
// Wrappers: viem's unknown error, and JSON-RPC's internal error.
const generic = [-1, -32603];

// Some wallets refuse with a general code, those built on Trust Wallet's provider and Trezor with one word, and ethers and
// this client with codes of their own. A contract's words are not the user's.
const verb = "(?:reject|den[iy]|decline|cancel|refuse|disapprove)";
const refusalText = new RegExp(
  `^(?!.*revert).*(?:user.{0,5}${verb}|${verb}\\w* by (?:the )?user|action_rejected|^(?:cancel+ed|request rejected)$)`,
  "is",
);

// The windows of Coinbase Wallet and others that a browser blocks; Ledger's and Trezor's devices, which sign before
// anything is sent; an extension that was updated or does not run; passkeys; an account that cannot pay; WalletConnect
// without a session.
const unsentText =
  /pop[- ]?up.*(?:block|failed to open)|open pop|^Ledger(?: device)?: |^Transport(?:Status|Open|Interface|Web|Race)|(?:Locked|Disconnected|Open)Device|PermissionsNotGranted|context invalidated|receiving end|disconnected port|^NotAllowed|insufficient[ _]?funds|enable blind signing|call connect\(\) before|session topic doesn't exist/im;

// OpenEthereum and Nethermind write `Reverted 0x…`.
const revertData = /^(?:Reverted )?(0x([0-9a-f]{2})*)$/i;

// A browser reports a lost connection as a TypeError, too.
const networkText = /fetch|network|connection|load failed|terminated|cancel|abort/i;

/** Reads a JSON-RPC code, the outermost revert data and the innermost message from an error. */
export function readRpcError(error: unknown): RpcErrorContent {
  const codes: number[] = [];
  const texts: string[] = typeof error === "string" ? [error] : [];
  let data: string | undefined;
  let message = String(error);
  let isProgramError = false;
  let status: number | undefined;
  const queue: unknown[] = [error];
  // A library's error may refer to itself. No real one is nested this deep.
  for (let i = 0; i < 40; i++) {
    const value = queue[i];
    if (typeof value !== "object" || value === null) continue;
    const fields = value as Record<string, unknown>;
    // Some wallets and bridges write the code as a text.
    if (/^-?\d{1,5}$/.test(String(fields.code))) codes.push(Number(fields.code));
    if (typeof fields.data === "string") data ??= revertData.exec(fields.data)?.[1];
    if (typeof fields.message === "string") message = fields.message;
    texts.push(String(fields.name), String(fields.code), String(fields.message));
    // viem's and ethers' names; ethers has the reason phrase behind the number.
    status ??= Number.parseInt(String(fields.status ?? fields.responseStatus), 10) || undefined;
    isProgramError ||= /^(?:Type|Reference)Error$/.test(String(fields.name)) && !networkText.test(message);
    queue.push(...places.map((place) => fields[place]));
  }
  const refusal = codes.find((code) => refusals.includes(code));
  const [line = ""] = message.split("\n");
  return {
    code: refusal ?? codes.find((code) => !generic.includes(code)) ?? codes[0],
    isRefusal: refusal !== undefined || (data === undefined && texts.some((text) => refusalText.test(text))),
    isUnsent: texts.some((text) => unsentText.test(text)),
    isProgramError,
    // More than 32 bytes come from the request, such as a signature.
    message: line.replace(/0x[0-9a-f]{65,}/gi, "0x…").slice(0, 300),
    data,
    status,
  };
}
