import { fileURLToPath } from "node:url";
import { findBundle } from "@hardhat-identity/verify-page/bundle";

/** Finds the demo, ready to be served. */
export const findDemo = (): Promise<string> =>
  findBundle(fileURLToPath(new URL("../demo/", import.meta.url)));
