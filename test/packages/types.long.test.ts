import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import ts from "typescript";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { findTarballs } from "../fixtures/packages/tarballs.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";

const run = promisify(execFile);

/** A program that uses all exports of the packages. */
const program = `
import { type Hex, IdentityError, requestVerification } from "@hardhat-identity/client";
import { signerRegistryAbi, verifyOnceAbi } from "@hardhat-identity/contracts/abi";
import { type Deployment, deployments } from "@hardhat-identity/contracts/deployments";
import hardhatIdentity from "hardhat-identity";
import registryModule from "hardhat-identity/ignition/SignerRegistry";
import { loadConfig, startSigner } from "@hardhat-identity/signer";
import { createWallet } from "hardhat-identity/wallet";

export const used = [IdentityError, requestVerification, registryModule, loadConfig, startSigner, createWallet];
export const plugin: string = hardhatIdentity.id;
export const hash: Hex = "0x12";
export const known: readonly Deployment[] = deployments;
export const kind: "constructor" = signerRegistryAbi[0].type;
type Refusal = Extract<(typeof verifyOnceAbi)[number], { readonly type: "error" }>["name"];
export const refusals: Refusal[] = ["NotSigner", "IdentityAlreadyUsed"];
// @ts-expect-error: the names are known.
export const none: Refusal[] = ["NoSuchError"];
`;

const commonJs = `
import client = require("@hardhat-identity/client");
import abi = require("@hardhat-identity/contracts/abi");
import signer = require("@hardhat-identity/signer");
export const used = [client.requestVerification, abi.verifyOnceAbi, signer.startSigner];
`;

const client = `
import { requestVerification } from "@hardhat-identity/client";
export const used = requestVerification;
`;

const imported = `
import { createWallet } from "hardhat-identity/wallet";
export const used = createWallet;
`;

const dynamic = `
export async function load() {
  const { createWallet } = await import("hardhat-identity/wallet");
  return createWallet;
}
`;

/** The compiler's messages about a file of a project, without those about other people's declarations. */
function check(file: string, options: ts.CompilerOptions): string[] {
  const { NodeNext } = ts.ModuleKind;
  const types = join(file, "../node_modules/@types");
  const common = { module: NodeNext, target: ts.ScriptTarget.ES2023, strict: true, noEmit: true };
  const program = ts.createProgram([file], { ...common, types: ["node"], typeRoots: [types], ...options });
  return ts
    .getPreEmitDiagnostics(program)
    .filter(
      (found) => !/node_modules\/(?!hardhat-identity\/|@hardhat-identity\/)/.test(found.file?.fileName ?? ""),
    )
    .map((found) => `${found.file?.fileName}: ${ts.flattenDiagnosticMessageText(found.messageText, "\n")}`);
}

describe("The packages' types", function () {
  this.timeout(300_000);

  it("has types that check in a project that Node runs as it is, and in one for a bundler", () => {
    const project = freshProject();
    project.write("app.ts", program);
    const file = join(project.folder, "app.ts");
    expect(check(file, { moduleResolution: ts.ModuleResolutionKind.NodeNext })).to.deep.equal([]);
    const bundler = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
    expect(check(file, { ...bundler, skipLibCheck: true })).to.deep.equal([]);
  });

  it("has types of the client that check where the compiler reads no exports (moduleResolution node10)", () => {
    const project = freshProject();
    project.write("app.ts", client);
    const older = { module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 };
    const options = { ...older, ignoreDeprecations: "6.0", skipLibCheck: true };
    expect(check(join(project.folder, "app.ts"), options)).to.deep.equal([]);
  });

  it("has types that check in a CommonJS file, and loads everything in a CommonJS script", async () => {
    const project = freshProject();
    project.write("app.cts", commonJs);
    expect(check(join(project.folder, "app.cts"), { skipLibCheck: true })).to.deep.equal([]);
    project.write(
      "script.cjs",
      `const { encodeCall } = require("@hardhat-identity/client");
const { verifyOnceAbi } = require("@hardhat-identity/contracts/abi");
const { deployments } = require("@hardhat-identity/contracts/deployments");
const json = require("@hardhat-identity/contracts/abi/VerifyOnce.json");
const { startSigner } = require("@hardhat-identity/signer");
const { createWallet } = require("hardhat-identity/wallet");
console.log(JSON.stringify(verifyOnceAbi) === JSON.stringify(json), deployments.length);
console.log([encodeCall, startSigner, createWallet].map((it) => typeof it).join());
`,
    );
    const { stdout } = await run(process.execPath, ["script.cjs"], {
      cwd: project.folder,
      env: cleanEnvironment(),
    });
    expect(stdout).to.equal("true 0\nfunction,function,function\n");
  });

  it("has types that check in a CommonJS file as the page about TS1479 says: imported by the newer modes, loaded by all", () => {
    const project = freshProject();
    project.write("client.cts", client);
    project.write("static.cts", imported);
    project.write("dynamic.cts", dynamic);
    const { Node16, Node18, Node20, NodeNext } = ts.ModuleKind;
    const checkAs = (file: string, module: ts.ModuleKind) =>
      check(join(project.folder, file), { module, skipLibCheck: true });
    for (const module of [Node16, Node18, Node20, NodeNext])
      expect(checkAs("client.cts", module)).to.deep.equal([]);
    for (const module of [Node20, NodeNext]) expect(checkAs("static.cts", module)).to.deep.equal([]);
    for (const module of [Node16, Node18]) {
      expect(checkAs("static.cts", module).join("\n")).to.match(/Consider writing a dynamic 'import\(/);
      expect(checkAs("dynamic.cts", module)).to.deep.equal([]);
    }
  });

  it("has types where every promised module mode looks for them: ESM, and what loads ESM", async () => {
    const tarballs = globSync(join(findTarballs(), "*.tgz"));
    expect(tarballs).to.have.length.above(10);
    const bin = join(root, "node_modules/.bin");
    for (const tarball of tarballs) {
      await run(join(bin, "attw"), [tarball, "--profile", "esm-only"], { env: cleanEnvironment() });
      await run(join(bin, "publint"), [tarball, "--strict"], { env: cleanEnvironment() });
    }
  });
});
