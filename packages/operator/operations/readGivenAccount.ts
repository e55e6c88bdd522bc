import { optional, parseCount, requireOption } from "@hardhat-identity/console/options";
import { readSource } from "@hardhat-identity/console/readSource";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { isObject, JsonNumber, parseObjectLosslessly } from "@hardhat-identity/protocol/json";
import { parseTraits, readTraits, type Traits } from "@hardhat-identity/protocol/traits";

/** The account that `credential set` stores. */
export interface GivenAccount {
  readonly accountId: string;
  readonly traits: Traits;
  /** Unix seconds; `undefined` for the current time. */
  readonly authenticatedAt: number | undefined;
}

type Arguments = Readonly<
  Partial<Record<"from" | "accountId" | "traits" | "authenticatedAt", string | undefined>>
>;

/**
 * Reads the account from the file of `--from` (`-` is standard input), or else from options, which are visible to
 * everybody who may list the machine's processes.
 */
export async function readGivenAccount(provider: string, args: Arguments): Promise<GivenAccount> {
  if (args.from === undefined) return readOptions(provider, args);
  const { accountId, traits, authenticatedAt } = args;
  if ([accountId, traits, authenticatedAt].some((value) => value !== undefined)) {
    throw new InvalidInputError(
      "--from contains the account id, the traits and the time of authentication; leave out --account-id, --traits and --authenticated-at.",
    );
  }
  return parseGivenAccount(provider, args.from, await readSource(args.from));
}

function readOptions(provider: string, args: Arguments): GivenAccount {
  return {
    accountId: requireOption("--account-id", args.accountId, "the provider's id of the account"),
    traits: parseTraits(provider, args.traits ?? "{}"),
    authenticatedAt: optional(args.authenticatedAt, (value) => parseCount("--authenticated-at", value)),
  };
}

/** Parses the account. Errors do not quote the content. */
function parseGivenAccount(provider: string, from: string, json: string): GivenAccount {
  const parsed = parseObjectLosslessly(json);
  if (parsed === undefined) throw refuse(from, "is not");
  const { accountId, traits = {}, authenticatedAt, ...others } = parsed;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refuse(from, `has a member ${JSON.stringify(unknown)}`);
  const id = accountId instanceof JsonNumber ? readInteger(accountId) : accountId;
  if (typeof id !== "string" || id === "") throw refuse(from, "has no account id (a string or an integer)");
  if (!isObject(traits)) throw refuse(from, "has traits that are not an object");
  const time = authenticatedAt instanceof JsonNumber ? readInteger(authenticatedAt) : authenticatedAt;
  if (time !== undefined && typeof time !== "string") {
    throw refuse(from, "has a time of authentication that is not in whole unix seconds");
  }
  return {
    accountId: id,
    traits: readTraits(provider, traits),
    authenticatedAt: optional(time, (value) => parseCount("authenticatedAt", value)),
  };
}

const readInteger = ({ source }: JsonNumber) => (/^-?\d+$/.test(source) ? source : undefined);

function refuse(from: string, what: string): InvalidInputError {
  return new InvalidInputError(
    `--from ${from} must be a JSON object such as {"accountId":"1001","traits":{"followers":1200},"authenticatedAt":1760000000}, but it ${what}.`,
  );
}
