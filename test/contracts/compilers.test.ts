import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { compile, loadCompiler } from "../fixtures/packages/compile.ts";
import { expectCompiled, type Setting, titleOf } from "../fixtures/packages/compileContracts.ts";

const oldest = { version: "0.8.20", compiler: "solc-0.8.20" } as const;

// The build has the newest compiler, and compilers.long.test.ts the others.
const settings: readonly Setting[] = [
  { ...oldest, openZeppelin: "openzeppelin-contracts-5.1", what: "contracts" },
  // OpenZeppelin's own floor has risen since, and what the registry and the examples import has it.
  { ...oldest, openZeppelin: "@openzeppelin/contracts", evmVersion: "paris", what: "bases" },
];

describe("The contracts", function () {
  this.timeout(60_000);

  for (const setting of settings) it(titleOf(setting), () => expectCompiled(setting));

  for (const name of ["solc-0.5", "solc"] as const) {
    it(`are not needed by the example for older compilers: ${name} compiles it`, () => {
      const text = readFileSync(
        join(import.meta.dirname, "../../examples/older-compilers/PlainAirdrop.sol"),
        "utf8",
      );
      const messages = compile(loadCompiler(name), {
        files: { "PlainAirdrop.sol": text },
        remappings: [],
        folders: {},
      });
      const errors = messages.filter(({ severity }) => severity === "error");
      expect(errors.map(({ formattedMessage }) => formattedMessage)).to.deep.equal([]);
    });
  }
});
