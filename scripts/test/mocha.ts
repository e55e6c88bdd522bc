import { createRequire } from "node:module";

/** Mocha's options for our tests: in `hardhat.config.ts`, and in the processes of `npm test`. */
export const mochaOptions = {
  reporter: createRequire(import.meta.url).resolve("./reporter.ts"),
  forbidOnly: true,
  timeout: 180_000,
};
