import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { compile, loadCompiler } from "../fixtures/packages/compile.ts";

describe("The contracts", () => {
  const own = "lib/hardhat-identity/contracts/";
  const folder = fileURLToPath(new URL("../../contracts/", import.meta.url));
  const files = Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".sol"))
      .map((path) => [own + path, readFileSync(folder + path, "utf8")]),
  );
  const remappings = ["@openzeppelin/contracts/=lib/openzeppelin-contracts/contracts/"];

  const bases = Object.fromEntries(
    Object.entries(files).filter(([path]) =>
      /(\/interfaces\/\w+|\/Verify(Consumer|Once|Paced))\.sol$/.test(path),
    ),
  );

  for (const [version, name, openZeppelin, evmVersion] of [
    ["0.8.20", "solc-0.8.20", "openzeppelin-contracts-5.1", undefined],
    // OpenZeppelin's own floor has risen since, and what the registry and the examples import has it.
    ["0.8.20", "solc-0.8.20", "@openzeppelin/contracts", "paris"],
    ["0.8.37", "solc", "openzeppelin-contracts-5.1", "cancun"],
    ["0.8.37", "solc", "@openzeppelin/contracts", undefined],
  ] as const) {
    const what = evmVersion === "paris" ? "bases" : "contracts";
    it(`compile without a warning with solc ${version} and ${openZeppelin}, for ${evmVersion ?? "the newest EVM"}: the ${what}`, () => {
      const compiler = loadCompiler(name);
      expect(compiler.version()).to.match(new RegExp(`^${version}\\+`));
      const messages = compile(compiler, {
        files: evmVersion === "paris" ? bases : files,
        remappings,
        folders: {
          "lib/openzeppelin-contracts/contracts/": fileURLToPath(
            new URL(`../../node_modules/${openZeppelin}/`, import.meta.url),
          ),
        },
        ...(evmVersion ? { evmVersion } : {}),
      });
      // OpenZeppelin's own warnings are OpenZeppelin's.
      const ours = messages.filter(({ sourceLocation }) => sourceLocation?.file.startsWith(own) ?? true);
      const broken = messages.filter(({ severity }) => severity === "error");
      expect([...ours, ...broken].map(({ formattedMessage }) => formattedMessage)).to.deep.equal([]);
    }).timeout(60_000);
  }

  for (const name of ["solc-0.5", "solc"] as const) {
    it(`are not needed by the example for older compilers: ${name} compiles it`, () => {
      const text = readFileSync(`${folder}../examples/older-compilers/PlainAirdrop.sol`, "utf8");
      const messages = compile(loadCompiler(name), {
        files: { "PlainAirdrop.sol": text },
        remappings: [],
        folders: {},
      });
      const errors = messages.filter(({ severity }) => severity === "error");
      expect(errors.map(({ formattedMessage }) => formattedMessage)).to.deep.equal([]);
    }).timeout(60_000);
  }
});
