import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { type AddConsumerOptions, addConsumer } from "../../tasks/internal/init/addConsumer.ts";
import { rejection } from "../fixtures/rejection.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const workflow = ".github/workflows/identity.yml";

/** What a consumer of this name consists of. */
const filesOf = (name: string) => [`contracts/${name}.sol`, `test/${name}.ts`, `ignition/modules/${name}.ts`];

describe("What identity init adds to a project", () => {
  async function fixture({ hasContracts = true } = {}) {
    const folder = await temporaryFolder();
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    };
    write("package.json", "{}");
    if (hasContracts) {
      mkdirSync(join(folder, "node_modules/@hardhat-identity"), { recursive: true });
      symlinkSync(join(root, "contracts"), join(folder, "node_modules/@hardhat-identity/contracts"));
    }
    const read = (file: string) => readFileSync(join(folder, file), "utf8");
    const add = (options: Partial<AddConsumerOptions> = {}) =>
      addConsumer({
        kind: "claim",
        name: undefined,
        toolbox: "viem",
        folders: {
          root: folder,
          contracts: join(folder, "contracts"),
          tests: join(folder, "test"),
          ignition: join(folder, "ignition"),
        },
        mayReplace: async () => false,
        ...options,
      });
    return { folder, write, read, add };
  }

  it("changes no file that is there already, unless it may", async () => {
    const { folder, write, read, add } = await fixture();
    write("test/Airdrop.ts", "// mine\n");
    write(workflow, "# mine, too\n");
    const { message } = await rejection(add());
    expect(message).to.include("Nothing was written, for these files are there already: test/Airdrop.ts.");
    expect(existsSync(join(folder, "contracts"))).to.equal(false);

    const asked: (readonly string[])[] = [];
    const mayReplace = async (paths: readonly string[]) => asked.push(paths) > 0;
    const [contract, test, module] = filesOf("Airdrop");
    expect(await add({ mayReplace })).to.deep.equal({
      contract: "Airdrop",
      written: [contract, test, module],
      unchanged: [workflow],
    });
    expect(asked).to.deep.equal([["test/Airdrop.ts"]]);
    expect(read("test/Airdrop.ts")).to.include('describe("Airdrop"');
    expect(read(workflow)).to.equal("# mine, too\n");
    expect(await add()).to.deep.equal({
      contract: "Airdrop",
      written: [],
      unchanged: [...filesOf("Airdrop"), workflow],
    });
  });

  it("takes a name of one's own, and the commands of the project's package manager", async () => {
    const { folder, write, read, add } = await fixture();
    for (const [lock, steps] of [
      ["package-lock.json", ["npm ci", "npx hardhat test", "npx hardhat identity policy"]],
      [
        "pnpm-lock.yaml",
        ["corepack enable && pnpm install", "pnpm exec hardhat test", "pnpm exec hardhat identity policy"],
      ],
    ] as const) {
      write(lock, "");
      rmSync(join(folder, ".github"), { recursive: true, force: true });
      await add({ kind: "vote", name: "Election" });
      expect([...read(workflow).matchAll(/- run: (.*)/g)].map(([, step]) => step)).to.deep.equal(steps);
    }
    expect(read("contracts/Election.sol")).to.include("contract Election is VerifyOnce {");
    expect(read("test/Election.ts")).to.include(
      "consumer.write.vote([true, ...second.args], { account: laptop.account })",
    );
    for (const file of filesOf("Election")) expect(read(file)).not.to.match(/Airdrop|Poll/);
  });

  it("says what it cannot do, and writes nothing", async () => {
    const { folder, write, add } = await fixture();
    write("contracts/tokens/Drop.sol", "contract Airdrop {}\n");
    for (const [options, message] of [
      [{}, "contracts/tokens/Drop.sol has a contract Airdrop already. Choose another --name."],
      [{ kind: "game" }, '--kind must be one of claim, mint, deposit, vote, got "game".'],
      [{ name: "../Drop" }, `--name must be a contract's name, such as Airdrop, got "../Drop".`],
      [{ name: "VerifyOnce" }, "--name VerifyOnce is taken by what the contract or its test is made of."],
    ] as const) {
      expect(await rejection(add(options)))
        .to.have.property("message")
        .that.includes(message);
    }
    expect(existsSync(join(folder, "test"))).to.equal(false);

    const { message } = await rejection((await fixture({ hasContracts: false })).add());
    expect(message).to.include("npm install --save-dev @hardhat-identity/contracts");
  });
});
