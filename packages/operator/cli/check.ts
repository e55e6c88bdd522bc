import { randomBytes } from "node:crypto";
import { columns } from "@hardhat-identity/console/columns";
import { optional, requireOption } from "@hardhat-identity/console/options";
import { print } from "@hardhat-identity/console/print";
import { discoverService, probeService, readServiceUrl } from "@hardhat-identity/console/probeService";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { ReadinessReport } from "@hardhat-identity/protocol/health";
import { buildSignInMessage } from "@hardhat-identity/protocol/signIn/build";
import { Wallet } from "ethers";

type Checked = Awaited<ReturnType<typeof checkService>>;

/**
 * Asks a running service for a verification with a new wallet that has proven nothing. Returns the exit code: 1 if an
 * answer is not the expected one, or cannot be compared.
 */
export async function check(values: {
  url?: string;
  consumer?: string;
  other?: string[];
  json?: boolean;
}): Promise<number> {
  const url = readServiceUrl("--url", requireOption("--url", values.url, "the URL of the service"));
  const consumer = optional(values.consumer, (text) => parseAddress("--consumer", text));
  const others = (values.other ?? []).map((other) => readServiceUrl("--other", other));
  const checked = await checkService(url, consumer, others);
  const { status, request } = checked;
  const ok =
    status === "ready" && request.code === request.expected && checked.others.every(({ isSame }) => isSame);
  print(values.json ? JSON.stringify({ ok, ...checked }) : describeCheck(checked));
  return ok ? 0 : 1;
}

/** @returns The answers to an operator and to a client, and whether each other service gives people the same identities. */
async function checkService(url: string, consumer: string | undefined, otherUrls: readonly string[]) {
  const { body: readiness } = await probeService(url, "/readyz");
  const { status, checks } = readiness as Partial<ReadinessReport>;
  const { chains, testIdentity } = await discoverService(url);
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
  const { body, requestId } = await probeService(url, "/v1/onchain_verifications", { message, signature });
  const { code } = body as { code?: unknown };
  const expected = consumer === undefined ? "contract_not_found" : "verification_not_found";
  const others = await Promise.all(
    otherUrls.map(async (url) => {
      const { testIdentity: other } = await discoverService(url);
      // `null` if one of them is too old to say.
      return { url, isSame: testIdentity && other ? other === testIdentity : null };
    }),
  );
  return { url, status, checks, others, request: { code: String(code ?? "issued"), expected, requestId } };
}

function describeCheck({ url, status, checks, request, others }: Checked): string {
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
    ...others.map((other) => ["identities", describeOther(other)] as const),
  ]);
}

function describeOther({ url, isSame }: Checked["others"][number]): string {
  if (isSame === null)
    return `cannot be compared with those of ${url}: one of the services is too old to tell`;
  if (isSame) return `the same as at ${url}`;
  return `NOT those of ${url}: it has another master secret or chain, so that one account can claim twice at a registry that lists both`;
}
