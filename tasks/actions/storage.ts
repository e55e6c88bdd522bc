import { type Block, getStorageAt, IdentityError, identityPosition } from "@hardhat-identity/client";
import { columns } from "@hardhat-identity/console/columns";
import { requireOption } from "@hardhat-identity/console/options";
import { parseAddress } from "@hardhat-identity/protocol/address";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { parseHex } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { connectToChain } from "../internal/stack/connect.ts";
import { findConsumer } from "../internal/stack/findConsumer.ts";
import type { Arguments } from "../options.ts";

export default reporting<"storage">(async (args, hre) => {
  try {
    const { address, position, identity } = await readPlace(args, hre);
    // The client checks the other values and names the argument that it refuses.
    const block = (args.block ?? "latest") as Block;
    const { connection } = await connectToChain(hre, args);
    // A node that has no pending block is read at the latest one.
    let readAt = block;
    const node: Eip1193Connection = {
      request({ method, params = [] }) {
        readAt = Object(params)[2];
        return connection.provider.request({ method, params });
      },
    };
    const value = await getStorageAt(node, { address, position, block });
    const used = identity && { ...identity, used: BigInt(value) !== 0n };
    const reading = { address, position, block: readAt, value, ...used };
    return {
      json: reading,
      text: columns(Object.entries(reading).map(([name, shown]) => [name, String(shown)])),
    };
  } catch (error) {
    throw nameOption(error);
  }
});

/** A slot of a contract, with the identity and the round if it records that the identity has been used. */
interface Place {
  readonly address: string;
  readonly position: string;
  readonly identity?: { readonly identityHash: string; readonly round?: string };
}

async function readPlace(args: Arguments<"storage">, hre: HardhatRuntimeEnvironment): Promise<Place> {
  const { address, position, consumer, identityUsed, round, mappingSlot } = args;
  if (identityUsed === undefined) {
    if ([consumer, round, mappingSlot].some((given) => given !== undefined)) {
      throw new InvalidInputError("--consumer, --round and --mapping-slot need --identity-used.");
    }
    return {
      address: parseAddress("--address", address),
      position: requireOption("--position", position, "a storage slot, a hex integer"),
    };
  }
  if (address !== undefined || position !== undefined) {
    throw new InvalidInputError("--identity-used goes with --consumer, not with --address and --position.");
  }
  const identity = {
    identityHash: parseHex("--identity-used", identityUsed, 32),
    ...(round !== undefined && { round: readRound(round) }),
  };
  return {
    address: await findConsumer(hre, args),
    position: identityPosition({ ...identity, mappingSlot }),
    identity,
  };
}

/** Reads a round, which may be a whole number, as contracts use that number a proposal or a day. */
const readRound = (text: string): string =>
  /^\d+$/.test(text) ? `0x${BigInt(text).toString(16).padStart(64, "0")}` : text;

/** Replaces the argument's name in an error of the client by the option's. Returns other errors unchanged. */
function nameOption(error: unknown): unknown {
  if (!(error instanceof IdentityError)) return error;
  const option = error.argument?.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const message = option ? error.message.replace(error.argument ?? "", `--${option}`) : error.message;
  return new InvalidInputError(message, { cause: error });
}
