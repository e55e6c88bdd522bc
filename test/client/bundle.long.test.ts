import { execFile } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { build } from "esbuild";
import ts from "typescript";
import { stageClient } from "../../scripts/pack/client.ts";
import { writeManifest } from "../../scripts/pack/manifest.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

// As the package's README says.
const limit = 15_000;

describe("The client as a browser gets it", () => {
  async function fixture(format: "iife" | "esm" = "iife") {
    const { outputFiles, metafile } = await build({
      absWorkingDir: root,
      entryPoints: ["packages/client/index.ts"],
      bundle: true,
      minify: true,
      // Fails on what only Node has.
      platform: "browser",
      format,
      globalName: "client",
      write: false,
      metafile: true,
    });
    const [output] = outputFiles;
    if (output === undefined) throw new Error("esbuild wrote nothing.");
    return { output, metafile };
  }

  it(`is smaller than ${limit} bytes compressed, with all exports`, async () => {
    // An app's bundler takes the package's ES module.
    const { output } = await fixture("esm");
    expect(gzipSync(output.contents, { level: 9 }).length, "gzip").to.be.below(limit);
    expect(brotliCompressSync(output.contents).length, "brotli").to.be.below(limit);
  });

  it("contains only client/, protocol/ and @noble/hashes", async () => {
    const { metafile } = await fixture();
    const foreign = Object.keys(metafile.inputs).filter(
      (file) => !/^(packages\/(client|protocol)|node_modules\/@noble\/hashes)\//.test(file),
    );
    expect(foreign).to.deep.equal([]);
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    expect(imports).to.deep.equal([]);
  });

  it("has types that import no package", () => {
    const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
    const emitting = { noEmit: false, declaration: true, emitDeclarationOnly: true, removeComments: true };
    // Files of a linked package are written only if they are named.
    const protocol = globSync("packages/protocol/**/*.ts", { cwd: root }).map((file) => join(root, file));
    const program = ts.createProgram(protocol.concat(join(root, "packages/client/index.ts")), {
      ...options,
      ...emitting,
      types: [],
    });
    const declarations = new Map<string, string>();
    program.emit(undefined, (file, text) => declarations.set(file, text));

    // Going through a set also comes to what is added on the way.
    const reached = new Set([join(root, "packages/client/index.d.ts")]);
    const packages: string[] = [];
    for (const file of reached) {
      const text = declarations.get(file);
      if (text === undefined) throw new Error(`The compiler wrote no ${file}.`);
      for (const [, imported = ""] of text.matchAll(/(?:from |import\()"([^"]+)"/g)) {
        const inProtocol = /^@hardhat-identity\/protocol\/(.*)/.exec(imported)?.[1];
        if (inProtocol !== undefined) reached.add(join(root, `packages/protocol/${inProtocol}.d.ts`));
        else if (imported.startsWith(".")) reached.add(join(file, "..", imported.replace(/\.ts$/, ".d.ts")));
        else packages.push(imported);
      }
    }
    expect(packages).to.deep.equal([]);
    expect([...reached]).to.include(join(root, "packages/protocol/verification.d.ts"));
  });

  /** The packed files, from a compilation in a folder of its own. */
  async function stage(): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), "client-"));
    onCleanup(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, "compiled/packages/client"), { recursive: true });
    for (const name of ["index", "react"]) {
      writeFileSync(join(folder, `compiled/packages/client/${name}.d.ts`), "export {};\n");
    }
    mkdirSync(join(folder, "package"));
    writeManifest("packages/client", join(folder, "package"), true);
    await stageClient(join(folder, "compiled"), join(folder, "package"));
    return join(folder, "package");
  }

  it("has the same bytes, whatever folder it is packed in", async () => {
    const [one, other] = [await stage(), await stage()];
    for (const file of ["index.js", "cjs/index.js", "react.js", "cjs/react.js"]) {
      expect(readFileSync(join(one, file), "utf8")).to.equal(readFileSync(join(other, file), "utf8"));
    }
  });

  it("loads by require and import, as one module if Node can do that", async () => {
    const folder = await stage();
    const script = join(folder, "script.cjs");
    writeFileSync(
      script,
      `const name = "@hardhat-identity/client";
const required = require(name);
import(name).then((imported) =>
  console.log(typeof required.encodeCall, imported.IdentityError === required.IdentityError));`,
    );
    const run = async (...flags: string[]) =>
      (await promisify(execFile)(process.execPath, [...flags, script])).stdout;
    expect(await run()).to.equal("function true\n");
    // Jest, and Node before 22.12.
    expect(await run("--no-experimental-require-module")).to.equal("function false\n");
  });

  it("works in Safari 16, without newer features or globals of Node", async () => {
    const address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    const identityHash = `0x${"12".repeat(32)}`;
    const hash = `0x${"34".repeat(32)}`;
    const word = `0x${"00".repeat(31)}01`;
    const answers: Record<string, unknown> = {
      eth_chainId: "0x14a34",
      eth_getStorageAt: word,
      eth_getTransactionReceipt: { blockNumber: "0x5", status: "0x1" },
      eth_sendTransaction: hash,
      personal_sign: "0x12",
      wallet_getCallsStatus: { status: 200 },
      wallet_sendCalls: { batchId: "0x77" },
    };
    const chain = { chainId: 84532, registry: address, signer: address, domain: {} };
    const body = {
      identityHash,
      expiration: 5,
      signature: "0x12",
      endpoint: "https://a.example",
      verifyUrl: "https://a.example",
      statement: "",
      lifetime: 300,
      messageMaxAge: 600,
      chains: [chain],
      providers: {},
    };
    const page = createContext({
      module: {},
      // Not even AbortSignal.timeout, which came with Safari 16.
      AbortController,
      TextEncoder,
      URL: (...given: ConstructorParameters<typeof URL>) => new URL(...given),
      crypto: { getRandomValues: (bytes: Uint8Array) => crypto.getRandomValues(bytes) },
      fetch: async () => new Response(JSON.stringify(body)),
      location: new URL("https://app.example/claim"),
      setTimeout,
      clearTimeout,
      performance: { now: () => performance.now() },
      wallet: { request: async ({ method }: { method: string }) => answers[method] },
    });
    // `new URL` takes what an ordinary function returns.
    runInContext("{ const parse = URL; URL = function (...given) { return parse(...given); }; }", page);
    const newer = {
      Array: ["fromAsync", "prototype.findLast", "prototype.toSorted", "prototype.with"],
      Object: ["groupBy"],
      Map: ["groupBy"],
      Promise: ["withResolvers", "try"],
      String: ["prototype.isWellFormed", "prototype.toWellFormed"],
      Set: ["prototype.union", "prototype.isSubsetOf"],
      Uint8Array: ["fromHex", "fromBase64", "prototype.toHex", "prototype.toBase64"],
      Iterator: ["from", "prototype.map", "prototype.filter", "prototype.toArray"],
      RegExp: ["escape"],
    };
    for (const [owner, names] of Object.entries(newer)) {
      for (const name of names) runInContext(`delete ${owner}.${name}`, page);
    }
    runInContext(readFileSync(join(await stage(), "cjs/index.js"), "utf8"), page);
    runInContext("client = module.exports", page);

    const batch = `{ from: "${address}", chainId: 84532, atomicRequired: true, calls: [{ to: "${address}" }] }`;
    const place = `{ consumer: "${address}", identityHash: "${identityHash}", block: "pending" }`;
    const service = `{ baseUrl: "https://a.example", message: "Hello", signature: "0x12" }`;
    const calls: Record<string, string> = {
      IdentityError: `new client.IdentityError("client_invalid_argument", "No.")`,
      buildSignInMessage: `client.buildSignInMessage({ address: "${address}", consumer: "${address}", chainId: 1 })`,
      encodeCall: `client.encodeCall({ abi: "f(address a)", args: { a: "${address}" } })`,
      getStorageAt: `client.getStorageAt(wallet, { address: "${address}", position: "0x0", block: "latest" })`,
      identityErrorActions: "client.identityErrorActions",
      identityPosition: `client.identityPosition({ identityHash: "${identityHash}" })`,
      isIdentityUsed: `client.isIdentityUsed(wallet, ${place})`,
      readDiscovery: `client.readDiscovery(${service})`,
      requestVerification: `client.requestVerification(${service})`,
      sendCall: `client.sendCall(wallet, { from: "${address}", to: "${address}", chainId: 84532 })`,
      sendCalls: `client.sendCalls(wallet, ${batch})`,
      signMessage: `client.signMessage(wallet, { address: "${address}", message: "Hello" })`,
      waitForCalls: `client.waitForCalls(wallet, { batchId: "0x77" })`,
      waitForReceipt: `client.waitForReceipt(wallet, { hash: "${hash}" })`,
      watchIdentity: `client.watchIdentity(wallet, ${place}).next()`,
    };
    expect(runInContext("Object.keys(client).sort().join()", page)).to.equal(Object.keys(calls).join());
    for (const [name, call] of Object.entries(calls)) {
      expect(await runInContext(call, page), name).to.not.equal(undefined);
    }
    expect(await runInContext(calls.buildSignInMessage ?? "", page)).to.match(/^app\.example wants you/);
    const bad = `client.requestVerification({ ...${service}, baseUrl: "https://:" })`;
    expect(await runInContext(bad, page).catch((error: Error) => error)).to.include({
      code: "client_invalid_argument",
    });
  });
});
