import type { Fault } from "./fault.ts";

export const faults: readonly Fault[] = [
  {
    what: "npm installs on in the background after Ctrl-C",
    file: "scripts/install.mjs",
    from: "process.kill(-npm.pid,",
    to: "process.kill(process.pid,",
    tests: ["test/scripts/install.test.ts"],
  },
];
