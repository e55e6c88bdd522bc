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

  for (const [version, name, openZeppelin, evmVersion] of [
    ["0.8.28", "solc-0.8.28", "openzeppelin-contracts-5.1", undefined],
    ["0.8.28", "solc-0.8.28", "@openzeppelin/contracts", undefined],
    ["0.8.37", "solc", "openzeppelin-contracts-5.1", "cancun"],
    ["0.8.37", "solc", "@openzeppelin/contracts", undefined],
  ] as const) {
    it(`compile without a warning with solc ${version} and ${openZeppelin}, for ${evmVersion ?? "the newest EVM"}`, () => {
      const compiler = loadCompiler(name);
      expect(compiler.version()).to.match(new RegExp(`^${version}\\+`));
      const messages = compile(compiler, {
        files,
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
});
