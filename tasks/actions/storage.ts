import { type Block, getStorageAt, IdentityError, identityPosition } from "../../client/index.ts";
import { parseAddress } from "../../protocol/address.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { type Options, optionalPort, parseHex, requireOption } from "../internal/console/options.ts";
import { columns, reporting } from "../internal/console/report.ts";
import { connectToChain } from "../internal/stack/connect.ts";

type Names = "address" | "position" | "consumer" | "identityUsed" | "mappingSlot" | "block" | "port";

export default reporting(async (args: Options<Names>, hre) => {
  const asked = args.identityUsed === undefined ? readSlot(args) : readIdentity(args);
  const { address, position, ...identity } = asked;
  // The client checks what is left, and says which argument it refuses.
  const block = (args.block ?? "latest") as Block;
  const { connection } = await connectToChain(hre, optionalPort("--port", args.port));
  try {
    const value = await getStorageAt(connection.provider, { address, position, block });
    const used = identity.identityHash === undefined ? {} : { used: BigInt(value) !== 0n };
    const json = { address, position, block, value, ...identity, ...used };
    return { json, text: columns(Object.entries(json).map(([name, shown]) => [name, String(shown)])) };
  } catch (error) {
    throw toInputError(error);
  }
});

interface Asked {
  readonly address: string;
  readonly position: string;
  readonly identityHash?: string;
}

function readSlot(args: Options<Names>): Asked {
  if (args.consumer !== undefined || args.mappingSlot !== undefined) {
    throw new InvalidInputError("--consumer and --mapping-slot go with --identity-used.");
  }
  return {
    address: parseAddress("--address", args.address),
    position: requireOption("--position", args.position),
  };
}

function readIdentity(args: Options<Names>): Asked {
  if (args.address !== undefined || args.position !== undefined) {
    throw new InvalidInputError("--identity-used goes with --consumer, not with --address and --position.");
  }
  const identityHash = parseHex("--identity-used", args.identityUsed, 32);
  const address = parseAddress("--consumer", args.consumer);
  try {
    const position = identityPosition({ identityHash, mappingSlot: args.mappingSlot });
    return { address, position, identityHash };
  } catch (error) {
    throw toInputError(error);
  }
}

/** The client's refusal of an argument, and the node's of a request, in terms of the options. */
function toInputError(error: unknown): unknown {
  if (!(error instanceof IdentityError)) return error;
  const option = error.argument?.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const message = option ? error.message.replace(error.argument ?? "", `--${option}`) : error.message;
  return new InvalidInputError(message, { cause: error });
}
