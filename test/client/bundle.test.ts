import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { build } from "esbuild";
import ts from "typescript";
import { encodeCall } from "../../client/index.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const limit = 12_000;

describe("The client as a browser gets it", () => {
  async function fixture() {
    const { outputFiles, metafile } = await build({
      absWorkingDir: root,
      entryPoints: ["client/index.ts"],
      bundle: true,
      minify: true,
      // Fails on what only Node has.
      platform: "browser",
      format: "iife",
      globalName: "client",
      write: false,
      metafile: true,
    });
    const [output] = outputFiles;
    if (output === undefined) throw new Error("esbuild wrote nothing.");
    return { output, metafile };
  }

  it(`is under ${limit} bytes compressed, with everything that it exports`, async () => {
    const { output } = await fixture();
    expect(gzipSync(output.contents, { level: 9 }).length, "gzip").to.be.below(limit);
    expect(brotliCompressSync(output.contents).length, "brotli").to.be.below(limit);
  });

  it("is made of client/, protocol/ and @noble/hashes alone", async () => {
    const { metafile } = await fixture();
    const foreign = Object.keys(metafile.inputs).filter(
      (file) => !/^(client|protocol|node_modules\/@noble\/hashes)\//.test(file),
    );
    expect(foreign).to.deep.equal([]);
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    expect(imports).to.deep.equal([]);
  });

  it("has types that need no package", () => {
    const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
    const emitting = { noEmit: false, declaration: true, emitDeclarationOnly: true, removeComments: true };
    const program = ts.createProgram([join(root, "client/index.ts")], { ...options, ...emitting, types: [] });
    const declarations = new Map<string, string>();
    program.emit(undefined, (file, text) => declarations.set(file, text));

    // Going through a set also comes to what is added on the way.
    const reached = new Set([join(root, "client/index.d.ts")]);
    const packages: string[] = [];
    for (const file of reached) {
      const text = declarations.get(file);
      if (text === undefined) throw new Error(`The compiler wrote no ${file}.`);
      for (const [, imported = ""] of text.matchAll(/(?:from |import\()"([^"]+)"/g)) {
        if (imported.startsWith(".")) reached.add(join(file, "..", imported.replace(/\.ts$/, ".d.ts")));
        else packages.push(imported);
      }
    }
    expect(packages).to.deep.equal([]);
    expect([...reached]).to.include(join(root, "protocol/verification.d.ts"));
  });

  it("works with what a browser has, without a global of Node's", async () => {
    const { output } = await fixture();
    const page = createContext({
      AbortSignal,
      TextEncoder,
      URL,
      crypto,
      location: new URL("https://app.example/claim"),
      setTimeout,
      clearTimeout,
      wallet: { request: async () => `0x${"00".repeat(31)}01` },
    });
    runInContext(output.text, page);
    const abi = "approve(address spender, uint256 amount)";
    const spender = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    expect(
      runInContext(`client.encodeCall({ abi: "${abi}", args: { spender: "${spender}", amount: 5n } })`, page),
    ).to.equal(encodeCall({ abi, args: { spender, amount: 5n } }));
    expect(
      runInContext(
        `client.buildSignInMessage({ address: "${spender}", consumer: "${spender}", chainId: 84532 })`,
        page,
      ),
    ).to.match(/^app\.example wants you/);
    const identityHash = `0x${"12".repeat(32)}`;
    const used = runInContext(
      `client.watchIdentity(wallet, { consumer: "${spender}", identityHash: "${identityHash}" }).next()`,
      page,
    );
    expect((await used).value).to.equal(true);
  });
});
