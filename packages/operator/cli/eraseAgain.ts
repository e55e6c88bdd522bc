import { plural } from "@hardhat-identity/console/plural";
import { readSource } from "@hardhat-identity/console/readSource";
import type { Report } from "@hardhat-identity/console/report";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { parseObjectLosslessly } from "@hardhat-identity/protocol/json";
import type { CredentialStore } from "@hardhat-identity/store/credentials/credential";

interface Erasure {
  readonly wallet: string;
  readonly provider: string;
}

/**
 * Erases what a list of the audit trail says was erased or replaced, because a restored backup has brought it back.
 *
 * @param from The file with what `audit list --json` printed; `-` is standard input. It is read to its end first.
 */
export async function eraseAgain(store: CredentialStore, from: string): Promise<Omit<Report, "refused">> {
  const listed = (await readSource(from))
    .split("\n")
    .flatMap((line, i) => (line.trim() === "" ? [] : readErasure(line, `Line ${i + 1} of ${from}`)));
  let deleted = 0;
  for (const { wallet, provider } of listed) if (await store.delete(wallet, provider)) deleted++;
  return {
    json: { listed: listed.length, deleted },
    text: `Deleted: ${plural(deleted, "credential")}, of ${plural(listed.length, "erasure")} in ${from}.`,
  };
}

function readErasure(line: string, place: string): Erasure[] {
  const { event, wallet, provider } = parseObjectLosslessly(line) ?? {};
  if (typeof event !== "string") {
    throw new InvalidInputError(`${place} is not an entry of \`audit list --json\`; nothing was erased.`);
  }
  if (event !== "credential-erased" && event !== "credential-replaced") return [];
  if (typeof wallet !== "string" || typeof provider !== "string") {
    throw new InvalidInputError(`${place} has no wallet and provider; nothing was erased.`);
  }
  return [{ wallet: parseAddress(`The wallet of ${place}`, wallet), provider }];
}
