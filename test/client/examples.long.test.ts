import { execFile } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import * as client from "../../client/index.ts";
import { deploy } from "../fixtures/chain/localChain.ts";
import {
  type Example,
  readDocstringExamples,
  readGuideExamples,
  runExample,
  writeExamples,
} from "../fixtures/client/examples.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { startStack } from "../fixtures/signer/stack.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const sources = globSync("client/**/*.ts", { cwd: root }).sort();
const guideExamples = ["docs/client.md", "docs/storage.md"].flatMap(readGuideExamples);
const examples = [...sources.flatMap(readDocstringExamples), ...guideExamples];

/** What the examples take for granted, the same on every fresh chain. */
const addresses = {
  user: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  registry: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  program: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
  token: "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
  vault: "0xCf7Ed3AccA5a467e9e704C703E8D87F634fB0Fc9",
};

describe("Every example of the client's documentation", function () {
  this.timeout(120_000);
  after(() => {
    for (const name of ["window", "location"]) Reflect.deleteProperty(globalThis, name);
  });

  /** A chain, a registry, consumers and a service as the examples have them; the user meets every policy. */
  async function fixture() {
    const service = await startStack();
    const { registry } = service;
    const program = await deploy(service.deployer, "IncentiveProgram", [registry]);
    const token = await deploy(service.deployer, "ExampleToken");
    const vault = await deploy(service.deployer, "VerifiedVault", [registry, token.target]);
    const user = service.deployer.address;
    expect({
      user,
      registry,
      program: program.target,
      token: token.target,
      vault: vault.target,
    }).to.deep.equal(addresses);

    await service.setCredential(user, { followers: "1200" });
    const authenticatedAt = Math.floor(Date.now() / 1000);
    const account = { provider: "photo_social", accountId: "p-1", traits: { followers_count: "120" } };
    await service.store.set({ ...account, wallet: user, authenticatedAt });
    await (await token.getFunction("mint")(user, 100n)).wait();

    const page = Object.assign(new URL("https://app.example/claim"), { assign() {} });
    Object.assign(globalThis, { window: { ethereum: service.wallet, location: page }, location: page });
    return service;
  }

  /** Guides are for others: what they show runs in a project of theirs, with the packed client. */
  function writeInProject({ text }: Example, replace: (text: string) => string): string[] {
    const project = freshProject();
    project.write("example.ts", replace(text));
    return [join(project.folder, "example.ts")];
  }

  for (const example of examples) {
    it(`runs, and prints what it says: ${example.name}`, async () => {
      const { url, rpcUrl } = await fixture();
      const replace = (text: string) =>
        text.replaceAll("https://verify.example", url).replaceAll("https://node.example", rpcUrl);
      const [file = ""] = guideExamples.includes(example)
        ? writeInProject(example, replace)
        : writeExamples([example], replace);
      const { logged, expected } = await runExample(file, example.text);
      expect(logged).to.deep.equal(expected);
    });
  }

  it("has right types, with ethers and viem alike", async function () {
    this.timeout(120_000);
    const [file = ""] = writeExamples(examples, (text) => text);
    const folder = join(file, "..");
    writeFileSync(
      join(folder, "window.d.ts"),
      'interface Window { readonly ethereum: import("../../client/index.ts").Eip1193Connection }\n',
    );
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: join(root, "tsconfig.json"),
        compilerOptions: { lib: ["es2023", "dom", "dom.iterable"], noUnusedLocals: false },
        include: ["*.ts", join(root, "hardhat.config.ts"), join(root, "typechain-types")],
      }),
    );
    const { stdout } = await promisify(execFile)("tsc", ["-p", folder]).catch((error) => error);
    expect(stdout).to.equal("");
  });

  it("is there for every public function", () => {
    const names = new Set(Object.keys(client));
    const documented = sources
      .map((file) => readFileSync(join(root, file), "utf8"))
      .flatMap((source) => [
        ...source.matchAll(
          /```ts\n(?:(?!\*\/)[\s\S])*?```\n \*\/\nexport (?:async )?(?:function|class) (\w+)/g,
        ),
      ])
      .map(([, name]) => name);
    // The table of actions is a constant, and is explained with the error.
    names.delete("identityErrorActions");
    expect([...names].sort()).to.deep.equal(documented.sort());
  });
});

describe("The table of errors in docs/client.md", () => {
  it("has every code with its action, and no other", () => {
    const guide = readFileSync(join(root, "docs/client.md"), "utf8");
    const rows = [...guide.matchAll(/^\| `(\w+)` +\| `([\w-]+)` +\|/gm)].map(([, code, action]) => [
      code,
      action,
    ]);
    expect(Object.fromEntries(rows)).to.deep.equal(client.identityErrorActions);
    expect(rows.length).to.equal(Object.keys(client.identityErrorActions).length);
  });
});
