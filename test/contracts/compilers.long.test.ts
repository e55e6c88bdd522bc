import { expectCompiled, type Setting, titleOf } from "../fixtures/packages/compileContracts.ts";

const newest = { version: "0.8.37", compiler: "solc", what: "contracts" } as const;

const settings: readonly Setting[] = [
  { ...newest, openZeppelin: "openzeppelin-contracts-5.1", evmVersion: "cancun" },
  { ...newest, openZeppelin: "@openzeppelin/contracts" },
];

describe("The contracts", function () {
  this.timeout(60_000);

  for (const setting of settings) it(titleOf(setting), () => expectCompiled(setting));
});
