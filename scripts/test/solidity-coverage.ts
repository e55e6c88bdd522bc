// Part of `npm run coverage`: runs the Solidity tests on instrumented contracts, and fails if they reach too few lines.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Percent of lines that the Solidity tests must reach. */
const limit = 99;

execFileSync("hardhat", ["test", "solidity", "--coverage"], { stdio: "inherit" });

const lcov = readFileSync("coverage/lcov.info", "utf8");
const sum = (field: "LF" | "LH") =>
  [...lcov.matchAll(new RegExp(`^${field}:(\\d+)$`, "gm"))].reduce((total, [, n]) => total + Number(n), 0);
const reached = (100 * sum("LH")) / sum("LF");
console.log(`Solidity lines reached: ${reached.toFixed(2)} % (at least ${limit} %)`);
if (!(reached >= limit)) process.exit(1);
