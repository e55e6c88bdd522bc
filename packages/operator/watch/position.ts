import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { deriveKey } from "@hardhat-identity/protocol/keys";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";
import { withExistingStore } from "@hardhat-identity/store/database/operateStore";
import type { StoreAccess } from "@hardhat-identity/store/database/properties";
import { createSeal } from "@hardhat-identity/store/database/seal";
import { getBytes } from "ethers";
import type { Finding } from "./judging/findings.ts";
import type { BlockName } from "./reading/header.ts";

/** Where a watch stands. */
export interface Position {
  /** The last block that was judged and cannot be undone. */
  confirmed: BlockName;
  /** The latest findings, oldest first. */
  findings: Finding[];
}

export type PositionKeeper = Awaited<ReturnType<typeof positionKeeper>>;

/**
 * Keeps the position of a registry's watch in a file: the watch only reads the store. Without the master
 * secret, nobody can forge a position.
 */
export async function positionKeeper(
  access: StoreAccess,
  { chainId, registry, file }: { chainId: number; registry: string; file: string },
) {
  const identity = await withExistingStore(access, "read", async (store) => store.identity);
  const seal = createSeal(deriveKey(getBytes(access.masterSecret), "watch"), "w1", identity);
  const place = [chainId, registry];
  let last = "";

  /** Uses the file, if it is there or is to be written. Its disk, or a folder above it, may fail at any time. */
  function use<Result>(what: "read" | "written", act: () => Result): Result | undefined {
    try {
      const found = statSync(file, { throwIfNoEntry: false });
      // It is replaced, which must not happen to a device.
      if (found !== undefined && !found.isFile())
        throw new InvalidInputError(`${file} (--position-file) is not a file.`);
      return found === undefined && what === "read" ? undefined : act();
    } catch (error) {
      if (error instanceof InvalidInputError) throw error;
      const code = systemErrorCode(error);
      throw new InvalidInputError(`${file} (--position-file) cannot be ${what} (${code}).`);
    }
  }

  return {
    /** Returns `undefined` where a watch begins. */
    read(): Position | undefined {
      const text = use("read", () => readFileSync(file, "utf8"));
      if (text === undefined) return undefined;
      try {
        return seal.open(place, text) as Position;
      } catch {
        throw new InvalidInputError(
          `The position in ${file} was altered, or belongs to another registry or store. Pass the first block to judge as --from-block.`,
        );
      }
    },
    write(position: Position): void {
      const json = JSON.stringify(position);
      if (json === last) return;
      use("written", () => {
        // A process that is killed leaves the former file or this one.
        rmSync(`${file}.new`, { force: true });
        // Follows no link that somebody else put there.
        writeFileSync(`${file}.new`, seal.close(place, position), { mode: 0o600, flag: "wx", flush: true });
        renameSync(`${file}.new`, file);
      });
      last = json;
    },
  };
}
