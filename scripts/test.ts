import { spawnSync } from "node:child_process";

const { status } = spawnSync("hardhat", ["test"], { stdio: "inherit" });
process.exit(status ?? 1);
