import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { Wallet } from "ethers";
import { parseAddress } from "../../protocol/address.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import type { ReadinessReport } from "../../protocol/health.ts";
import { buildSignInMessage } from "../../protocol/signIn/build.ts";
import { askService, discoverService, readServiceUrl } from "./askService.ts";
import { columns } from "./columns.ts";
import { flag, requireOption, text } from "./options.ts";
import { print } from "./print.ts";

/** The answers of a running service to an operator and to a client. */
interface Checked {
  readonly url: string;
  readonly status: ReadinessReport["status"];
  readonly checks: ReadinessReport["checks"];
  readonly request: {
    readonly code: string;
    readonly expected: string;
    /** Identifies the request in the service's log. */
    readonly requestId: string | null;
  };
}

/**
 * `identity-signer check --url <url> [--consumer <address>] [--json]`: asks a running service for a verification with a new
 * wallet that has proven nothing. Returns the exit code: 1 if an answer is not the expected one.
 */
export async function check(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { url: text, consumer: text, json: flag } });
  const url = readServiceUrl("--url", requireOption("--url", values.url));
  const consumer = values.consumer === undefined ? undefined : parseAddress("--consumer", values.consumer);
  const checked = await checkService(url, consumer);
  const { status, request } = checked;
  const ok = status === "ready" && request.code === request.expected;
  print(values.json ? JSON.stringify({ ok, ...checked }) : describe(checked));
  return ok ? 0 : 1;
}

async function checkService(url: string, consumer: string | undefined): Promise<Checked> {
  const { body: readiness } = await askService(url, "/readyz");
  const { status, checks } = readiness as Partial<ReadinessReport>;
  const { chains } = await discoverService(url);
  const [chain] = chains;
  if (status === undefined || checks === undefined || chain === undefined) {
    throw new InvalidInputError(`${url} is not a signer service.`);
  }
  const wallet = Wallet.createRandom();
  const message = buildSignInMessage({
    domain: new URL(url).host,
    uri: url,
    address: wallet.address,
    chainId: chain.chainId,
    // Without a consumer, a contract that is not one: the service must still read it from the chain.
    consumer: consumer ?? chain.registry,
    nonce: randomBytes(8).toString("hex"),
    issuedAt: new Date(),
  });
  const signature = await wallet.signMessage(message);
  const { body, requestId } = await askService(url, "/v1/onchain_verifications", { message, signature });
  const { code } = body as { code?: unknown };
  const expected = consumer === undefined ? "contract_not_found" : "verification_not_found";
  return { url, status, checks, request: { code: String(code ?? "issued"), expected, requestId } };
}

function describe({ url, status, checks, request }: Checked): string {
  const { code, expected, requestId } = request;
  const parts = Object.entries(checks).map(
    ([name, { ok, detail }]) =>
      [name, `${ok ? "ok" : "NOT OK"}${detail === undefined ? "" : `: ${detail}`}`] as const,
  );
  const answer = code === expected ? `${code}, as expected` : `${code}, NOT ${expected}`;
  return columns([
    ["service", url],
    ["readiness", status],
    ...parts,
    ["request", `${answer} (x-request-id ${requestId})`],
  ]);
}
