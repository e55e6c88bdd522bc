import { fileURLToPath } from "node:url";

/** This repository's folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Hardhat's command line. */
export const hardhatCli = "node_modules/hardhat/dist/src/cli.js";
