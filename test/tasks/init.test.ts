import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { InvalidInputError } from "../../packages/protocol/errors.ts";
import { type AddConsumerOptions, addConsumer } from "../../tasks/internal/init/addConsumer.ts";
import { setEnvironment } from "../fixtures/environment.ts";
import { rejection } from "../fixtures/rejection.ts";
import { solcPath } from "../fixtures/solcPath.ts";
import { root, runHardhat, runHardhatProcess } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const workflow = ".github/workflows/identity.yml";

/** The files of a consumer of this name. */
const filesOf = (name: string) => [
  `contracts/${name}.sol`,
  `test/${name}.ts`,
  `test/${name}.t.sol`,
  `ignition/modules/${name}.ts`,
];

const template = (file: string) => readFileSync(join(root, "tasks/templates", file), "utf8");

/** A project with the contracts' package and OpenZeppelin's installed, and nothing else. */
async function fixture() {
  const folder = await temporaryFolder();
  const path = (file: string) => join(folder, file);
  const write = (file: string, text: string) => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), text);
  };
  const read = (file: string) => readFileSync(path(file), "utf8");
  write("package.json", JSON.stringify({ name: "fresh", type: "module", private: true }));
  const own = { name: "@hardhat-identity/contracts", version: "0.1.0" };
  write("node_modules/@hardhat-identity/contracts/package.json", JSON.stringify(own));
  for (const name of ["attack", "dev"]) {
    write(`node_modules/@hardhat-identity/${name}/package.json`, "{}");
  }
  for (const name of ["VerifyOnce.sol", "VerifyConsumer.sol", "interfaces"]) {
    cpSync(join(root, "contracts", name), path(join("node_modules/@hardhat-identity/contracts", name)), {
      recursive: true,
    });
  }
  for (const name of ["@openzeppelin", "@nomicfoundation", "hardhat", "chai"]) {
    symlinkSync(join(root, "node_modules", name), path(join("node_modules", name)));
  }
  const folders = {
    root: folder,
    sources: [path("contracts"), path("more")],
    tests: path("test"),
    solidityTests: path("test"),
    ignition: path("ignition"),
  };
  const add = async (options: Partial<AddConsumerOptions> = {}) =>
    addConsumer({ kind: "claim", name: undefined, toolbox: "ethers", folders, ...options });
  const refusal = async (...given: Parameters<typeof add>) => {
    const error = await rejection(add(...given));
    expect(error).to.be.instanceOf(InvalidInputError);
    return error.message;
  };
  /** The project's files, without installed packages. */
  const list = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((file) => file !== "package.json" && !file.endsWith(".config.ts"))
      .sort();
  return { folder, folders, write, read, add, refusal, list };
}

describe("The consumer that identity init adds", () => {
  for (const [kind, contract, ethers, viem, solidity] of [
    ["claim", "Airdrop", "claim(...first.args)", "claim(first.args, { account: phone.account })", "claim("],
    ["mint", "Pass", "mint(...first.args)", "mint(first.args, { account: phone.account })", "mint("],
    [
      "deposit",
      "Vault",
      "deposit(...first.args, { value: 1n })",
      "deposit(first.args, { account: phone.account, value: 1n })",
      "deposit{value: 1}(",
    ],
    [
      "vote",
      "Poll",
      "vote(0n, true, ...first.args)",
      "vote([0n, true, ...first.args], { account: phone.account })",
      "vote(0, true, ",
    ],
  ] as const) {
    it(`is a contract to ${kind}, with a test, a module and a workflow`, async () => {
      const { add, read, list } = await fixture();
      const written = [...filesOf(contract), workflow];
      expect(await add({ kind })).to.deep.equal({ contract, written, unchanged: [] });
      expect(list()).to.deep.equal(written.toSorted());
      expect(read(`contracts/${contract}.sol`)).to.equal(template(`contracts/${contract}.sol`));
      expect(read(`ignition/modules/${contract}.ts`)).to.equal(
        template("ignition/modules/Airdrop.ts").replaceAll("Airdrop", contract),
      );
      for (const [toolbox, call] of Object.entries({ ethers, viem }) as ["ethers" | "viem", string][]) {
        const { add: addAnother, read: readAnother } = await fixture();
        await addAnother({ kind, toolbox });
        expect(readAnother(`test/${contract}.t.sol`))
          .to.include(`contract ${contract}Test is VerifyOnceTest {`)
          .and.include(`import {${contract}} from "../contracts/${contract}.sol";`)
          .and.include(`deployed.${solidity}v.identityHash, v.expiration, v.signature);`)
          .and.satisfy((text: string) => text.includes("rounds()") === (kind === "vote"));
        const test = readAnother(`test/${contract}.ts`);
        expect(test).to.include(`.${call}`).and.include(`describe("${contract}"`);
        // Every call of the template's entry point is one of this.
        const calls = (text: string) => [...text.matchAll(/\.(claim|mint|deposit|vote)\((?!\{)/g)];
        const names = calls(test).map(([, name]) => name);
        expect(names).to.deep.equal(calls(template(`test/${toolbox}.ts`)).map(() => kind));
      }
    });
  }

  it("is paced if asked for, and refuses a pace that is none", async () => {
    const { add, read, refusal } = await fixture();
    await add({ kind: "claim", pace: "100000/hour" });
    const contract = read("contracts/Airdrop.sol");
    expect(contract).to.include("contract Airdrop is VerifyPaced {").and.include("return (100000, 1 hours);");
    expect(contract).not.to.include("VerifyOnce");
    await add({ kind: "claim", name: "Drip", pace: "1/week" });
    expect(read("contracts/Drip.sol"))
      .to.include("// At most 1 person in each week, ")
      .and.include("return (1, 1 weeks);");
    for (const pace of ["0/hour", "1000000/hour", "100", "100/second", "-1/day", ""]) {
      expect(await refusal({ kind: "mint", pace })).to.equal(
        `--pace must be a number of people per minute, hour, day or week, such as 100/hour, got "${pace}".`,
      );
    }
  });

  it("has the given name wherever the default one stood", async () => {
    const { add, read } = await fixture();
    for (const kind of ["claim", "mint", "deposit", "vote"]) {
      const contract = `Own${kind}`;
      expect(await add({ kind, name: contract })).to.deep.include({ contract });
      expect(read(`contracts/${contract}.sol`)).to.match(new RegExp(`^contract ${contract} is `, "m"));
      expect(read(`test/${contract}.ts`)).to.include(`"${contract}"`);
      expect(read(`ignition/modules/${contract}.ts`)).to.include(`buildModule("${contract}"`);
      for (const file of filesOf(contract)) expect(read(file)).not.to.match(/\b(Airdrop|Pass|Vault|Poll)\b/);
    }
  });
});

describe("The test in Solidity that identity init adds", () => {
  it("finds the contract from a folder of its own", async () => {
    const { add, read, folders } = await fixture();
    const solidityTests = join(folders.root, "checks/solidity");
    await add({ folders: { ...folders, solidityTests } });
    expect(read("checks/solidity/Airdrop.t.sol")).to.include('from "../../contracts/Airdrop.sol"');
    await add({ name: "Beside", folders: { ...folders, solidityTests: join(folders.root, "contracts") } });
    expect(read("contracts/Beside.t.sol")).to.include('from "./Beside.sol"');
  });

  it("is left out for a compiler that cannot compile it", async () => {
    const { add, folders, list } = await fixture();
    await add({ folders: { ...folders, solidityTests: undefined } });
    expect(list()).to.include("test/Airdrop.ts").and.not.include("test/Airdrop.t.sol");
  });
});

describe("identity init without the packages of other tasks", () => {
  it("writes a test without the attacks, which a project can do without", async () => {
    const { add, read, folder } = await fixture();
    rmSync(join(folder, "node_modules/@hardhat-identity/attack"), { recursive: true });
    await add();
    expect(read("test/Airdrop.ts"))
      .to.include("refuses a verification that is expired")
      .and.not.match(/attack|node:assert/);
  });
});

describe("The workflow that identity init writes", () => {
  const berry = "__metadata:\n  version: 8\n";
  const steps = (text: string) => [...text.matchAll(/- run: (.*)/g)].map(([, step]) => step);

  const frozen = "--frozen-lockfile";
  const enabled = (install: string) => `npm install --global corepack && corepack enable && ${install}`;
  const [pnpm, yarn] = [enabled(`pnpm install ${frozen}`), enabled(`yarn install ${frozen}`)];
  const [immutable, bun] = [enabled("yarn install --immutable"), "npm install --global bun && bun"];

  for (const [what, files, install, execute] of [
    ["npm's lock file", { "package-lock.json": "" }, "npm ci", "npx"],
    [
      "npm's lock file and a forgotten one of pnpm's, and npm named",
      { "package-lock.json": "", "pnpm-lock.yaml": "", "package.json": "npm@11.0.0" },
      "npm ci",
      "npx",
    ],
    ["no lock file", {}, "npm install", "npx"],
    ["no lock file, and pnpm runs it", {}, enabled("pnpm install"), "pnpm"],
    ["Bun's lock file", { "bun.lock": "" }, `${bun} install ${frozen}`, "bunx"],
    ["pnpm's lock file", { "pnpm-lock.yaml": "" }, pnpm, "pnpm"],
    ["pnpm and its version", { "pnpm-lock.yaml": "", "package.json": "pnpm@11.2.4+sha512.ab" }, pnpm, "pnpm"],
    ["Bun's older lock file", { "bun.lockb": "" }, `${bun} install ${frozen}`, "bunx"],
    ["npm's published lock file", { "npm-shrinkwrap.json": "" }, "npm ci", "npx"],
    ["Bun named, and nothing locked", { "package.json": "bun@1.2.0" }, `${bun} install`, "bunx"],
    ["Yarn 4's", { "yarn.lock": berry, "package.json": "yarn@4.1.0" }, immutable, "yarn"],
    ["Yarn 1's", { "yarn.lock": "# yarn lockfile v1\n", "package.json": "yarn@1.22.22" }, yarn, "yarn"],
  ] as const) {
    it(`has the commands of the project's package manager with a pinned version: ${what}`, async () => {
      setEnvironment({ npm_config_user_agent: "pnpm/11.2.3 npm/? node/v24.0.0 linux x64" });
      if (execute === "npx") setEnvironment({ npm_config_user_agent: undefined });
      const { add, read, write } = await fixture();
      for (const [file, text] of Object.entries(files)) {
        write(file, file === "package.json" ? JSON.stringify({ packageManager: text }) : text);
      }
      await add();
      expect(steps(read(workflow))).to.deep.equal([
        install,
        `${execute} hardhat test`,
        `${execute} hardhat identity policy`,
      ]);
    });
  }

  for (const [what, files, from] of [
    ["a file for nvm", { ".nvmrc": "v22.14.0\r\n" }, ".nvmrc"],
    ["a file for other managers", { ".node-version": "22", ".nvmrc": "system" }, ".node-version"],
    [
      "devEngines",
      { "package.json": { devEngines: { runtime: { name: "node", version: "^22" } } } },
      "package.json",
    ],
    [
      "several runtimes",
      { "package.json": { devEngines: { runtime: [{ name: "bun" }, { name: "node" }] } } },
      "package.json",
    ],
    ["engines", { "package.json": { engines: { node: ">=22" } } }, "package.json"],
    ["a file for asdf or mise", { ".tool-versions": "python 3.12.1\nnodejs 22.14.0\n" }, ".tool-versions"],
    ["a file for asdf without it", { ".tool-versions": "python 3.12.1\n# nodejs 22.14.0\n" }, undefined],
    ["another runtime alone", { "package.json": { devEngines: { runtime: { name: "bun" } } } }, undefined],
    ["engines of npm alone", { "package.json": { engines: { npm: ">=10" } } }, undefined],
  ] as const) {
    it(`runs on the Node that the project or its repository names: ${what}`, async () => {
      for (const isWorkspace of [false, true]) {
        const { add, read, write, folders, name } = await workspace(".git/HEAD", "package-lock.json");
        for (const [file, content] of Object.entries(files)) {
          write(file, typeof content === "string" ? content : JSON.stringify(content));
        }
        const own = { ...folders, root: join(folders.root, "../../..") };
        await add({ folders: isWorkspace ? folders : own });
        const file = isWorkspace ? `.github/workflows/${name}` : workflow;
        const [, { with: settings }] = parse(read(file)).jobs.test.steps;
        expect(settings).to.deep.equal(
          from === undefined ? { "node-version": 24 } : { "node-version-file": from },
        );
      }
    });
  }

  it("runs for the remote's first branch, or else the one that is checked out, if that has a usual name", async () => {
    const remote = ".git/refs/remotes/origin/HEAD";
    const cases: [heads: Record<string, string>, branch: string][] = [
      [{ ".git/HEAD": "refs/heads/master" }, "master"],
      [{ ".git/HEAD": "refs/heads/trunk" }, "trunk"],
      [{ ".git/HEAD": "refs/heads/fix/of-mine" }, "main"],
      [{ ".git/HEAD": "refs/heads/main", [remote]: "refs/remotes/origin/develop" }, "develop"],
    ];
    for (const [heads, branch] of cases) {
      const { add, read, write } = await fixture();
      for (const [file, head] of Object.entries(heads)) write(file, `ref: ${head}\n`);
      await add();
      expect(parse(read(workflow)).on.push.branches).to.deep.equal([branch]);
    }
  });

  it("has the version of a file for nvm with comments, of which actions/setup-node may take one for the version", async () => {
    for (const [text, version, file = ".nvmrc"] of [
      ["# keep with the Dockerfile\n22.14.0\n", "22.14.0"],
      ["lts/jod # LTS\r\n", "lts/jod"],
      ["nodejs 22.14.0 # LTS\n", "22.14.0", ".tool-versions"],
    ] as const) {
      const { add, read, write } = await fixture();
      write(file, text);
      await add();
      const [, { with: settings }] = parse(read(workflow)).jobs.test.steps;
      expect(settings).to.deep.equal({ "node-version": version });
    }
  });

  it("checks out the submodules of a repository that has some, such as Foundry's libraries", async () => {
    const { add, read, folders, name } = await workspace(".git/HEAD", ".gitmodules");
    await add({ folders });
    const [{ with: settings }] = parse(read(`.github/workflows/${name}`)).jobs.test.steps;
    expect(settings).to.deep.equal({ "persist-credentials": false, submodules: "recursive" });
  });

  /** A project in a repository, whose workspace is locked at the root or nowhere above the project. */
  async function workspace(...locks: readonly string[]) {
    const made = await fixture();
    const project = join(made.folder, "packages/a/own contracts");
    mkdirSync(join(project), { recursive: true });
    for (const lock of locks) made.write(lock, "");
    const folders = {
      root: project,
      sources: [join(project, "contracts")],
      tests: join(project, "test"),
      ignition: join(project, "ignition"),
    };
    const name = "identity-packages-a-own contracts.yml";
    return { ...made, folders, name, written: `../../../.github/workflows/${name}` };
  }

  for (const [what, marker] of [
    ["the repository", ".git/HEAD"],
    ["a worktree", ".git"],
    ["a workspace of pnpm that is no repository yet", "pnpm-workspace.yaml"],
    ["a workspace of npm that is no repository yet", "package.json"],
  ] as const) {
    it(`is written to the root of ${what}, where GitHub looks, and runs in the project's folder`, async () => {
      const { add, read, write, folders, name, written } = await workspace("package-lock.json");
      write(marker, JSON.stringify({ workspaces: ["packages/*"] }));
      if (marker.startsWith(".git")) write("packages/pnpm-workspace.yaml", "");
      expect((await add({ folders })).written).to.include(written);
      const { name: title, jobs } = parse(read(`.github/workflows/${name}`));
      expect(title).to.equal("Identity (packages/a/own contracts)");
      expect(jobs.test.defaults).to.deep.equal({ run: { "working-directory": "packages/a/own contracts" } });
      expect(jobs.test.steps.slice(2)).to.deep.equal([
        { run: "npm ci", "working-directory": "." },
        { run: "npx hardhat test" },
        { run: "npx hardhat identity policy" },
      ]);
      expect((await add({ folders, kind: "vote" })).unchanged).to.deep.equal([written]);
    });
  }

  it("installs in the project's folder if the lock file is there", async () => {
    const { add, read, write, folders, name } = await workspace(".git/HEAD", "yarn.lock");
    write("packages/a/own contracts/package-lock.json", "");
    await add({ folders });
    expect(parse(read(`.github/workflows/${name}`)).jobs.test.steps[2]).to.deep.equal({ run: "npm ci" });
  });

  it("has the commands of the package manager that the repository names, where nothing is locked", async () => {
    const { add, read, write, folders, name } = await workspace(".git/HEAD");
    write("package.json", JSON.stringify({ packageManager: "pnpm@11.2.4" }));
    await add({ folders });
    const [, , { run }] = parse(read(`.github/workflows/${name}`)).jobs.test.steps;
    expect(run).to.equal("npm install --global corepack && corepack enable && pnpm install");
  });

  it("ignores a package.json above the project that is not JSON, and reads one with a byte order mark", async () => {
    const { add, read, write, folders } = await workspace();
    write("package.json", "{ // not JSON");
    write(
      "packages/a/own contracts/package.json",
      `\uFEFF${JSON.stringify({ packageManager: "pnpm@11.2.4" })}`,
    );
    await add({ folders, install: () => undefined });
    expect(steps(read(`packages/a/own contracts/${workflow}`))[1]).to.equal("pnpm hardhat test");
  });

  it("ignores a lock file above the repository, or above a project of its own", async () => {
    for (const marker of [".git/HEAD", "README.md"]) {
      const { add, read, write, folders } = await workspace("pnpm-lock.yaml");
      write(`packages/a/own contracts/${marker}`, "");
      setEnvironment({ npm_config_user_agent: undefined });
      const { written } = await add({ folders, install: () => undefined });
      expect(written).to.include(workflow);
      expect(steps(read(`packages/a/own contracts/${workflow}`))[0]).to.equal("npm install");
    }
  });
});

describe("With existing files, identity init", () => {
  it("leaves equal files and any existing workflow untouched", async () => {
    const { add, read, write } = await fixture();
    write(workflow, "# mine\n");
    await add();
    const unchanged = [...filesOf("Airdrop"), workflow];
    expect(await add()).to.deep.equal({ contract: "Airdrop", written: [], unchanged });
    expect(read(workflow)).to.equal("# mine\n");
  });

  it("takes its own files for unchanged where Git has given them the line ends of Windows", async () => {
    const { add, read, write } = await fixture();
    const { written } = await add();
    for (const file of written) write(file, read(file).replaceAll("\n", "\r\n"));
    expect(await add()).to.deep.equal({ contract: "Airdrop", written: [], unchanged: written });
  });

  it("goes past folders, dead links and packages among the sources, whatever they are called", async () => {
    const { add, folder, folders, write } = await fixture();
    // As where the artifacts are in the folder of the sources, and where that is the project's own.
    write("artifacts/contracts/Airdrop.sol/Airdrop.json", "{}");
    write("node_modules/game/contracts/Airdrop.sol", "contract Airdrop {}\n");
    symlinkSync(join(folder, "gone.sol"), join(folder, "Linked.sol"));
    const { written } = await add({ folders: { ...folders, sources: [folder] } });
    expect(written).to.include("Airdrop.sol");
  });

  it("writes nothing if one is in the way", async () => {
    const { refusal, read, write, list } = await fixture();
    write("test/Airdrop.ts", "// mine\n");
    write("ignition/modules/Airdrop.ts", "// mine, too\n");
    const inTheWay = ["test/Airdrop.ts", "ignition/modules/Airdrop.ts"];
    expect(await refusal()).to.equal(
      `Nothing was written: these files already exist: ${inTheWay.join(", ")}. Choose another --name, or remove them.`,
    );
    expect(list()).to.deep.equal(inTheWay.toSorted());
    expect(read("test/Airdrop.ts")).to.equal("// mine\n");
  });
});

describe("Writing nothing, identity init refuses", () => {
  it("the name of a contract that the project has in another file", async () => {
    const { add, refusal, write, list } = await fixture();
    const mine = ["contracts/old/Games.sol", "more/Shapes.sol"];
    write(
      "contracts/old/Games.sol",
      "// The contract Airdrop2 is not here.\nabstract contract Airdrop is Game {}\n",
    );
    write("more/Shapes.sol", "interface IShape {}\ninterface Poll {}\n  library Sums {}\n");
    const message = (file: string, name: string) =>
      `Nothing was written: ${file} has a contract ${name}. Choose another --name.`;
    expect(await refusal()).to.equal(message("contracts/old/Games.sol", "Airdrop"));
    expect(await refusal({ kind: "vote" })).to.equal(message("more/Shapes.sol", "Poll"));
    expect(await refusal({ name: "Sums" })).to.equal(message("more/Shapes.sol", "Sums"));
    expect(list()).to.deep.equal(mine);
    expect((await add({ name: "Airdrop2" })).contract).to.equal("Airdrop2");
  });

  it("no name that the project has in comments and texts alone, and one behind them", async () => {
    const { add, refusal, write } = await fixture();
    write(
      "contracts/texts.sol",
      `// A search for contracts/*.sol finds none here.
/*
contract Airdrop is VerifyOnce {}
*/
/** Half of the
 * contract Poll */ struct Half { uint256 value; } contract Notes {
  string public text = "http://*/ \\" /* ";
}
/* One line */ contract Sums {}
`,
    );
    const message = (name: string) =>
      `Nothing was written: contracts/texts.sol has a contract ${name}. Choose another --name.`;
    expect(await refusal({ name: "Notes" })).to.equal(message("Notes"));
    expect(await refusal({ name: "Sums" })).to.equal(message("Sums"));
    expect((await add({ kind: "vote" })).contract).to.equal("Poll");
    expect((await add()).contract).to.equal("Airdrop");
  });

  for (const [kind, name] of [
    ["claim", "VerifyOnce"],
    ["mint", "ERC721"],
    ["vote", "SignerRegistry"],
  ] as const) {
    it(`is the name of a contract that the new one uses: ${name}`, async () => {
      const { refusal, list } = await fixture();
      expect(await refusal({ kind, name })).to.equal(
        `Nothing was written: the new contract uses another ${name}. Choose another --name.`,
      );
      expect(list()).to.deep.equal([]);
    });
  }

  it("a project in which one of the files cannot be written, though others can", async () => {
    const { refusal, write, list } = await fixture();
    write(".github/workflows", "a file, and no folder");
    expect(await refusal()).to.match(/^Nothing was written: ENOTDIR|^Nothing was written: EEXIST/);
    expect(list()).to.deep.equal([".github/workflows"]);
  });

  for (const [what, options, message] of [
    ["another kind", { kind: "game" }, '--kind must be one of claim, mint, deposit, vote, got "game".'],
    [
      "a kind that only JavaScript's objects have",
      { kind: "toString" },
      '--kind must be one of claim, mint, deposit, vote, got "toString".',
    ],
    ["a path", { name: "../Drop" }, `--name must be a contract's name, such as Airdrop, got "../Drop".`],
    ["a small letter", { name: "drop" }, `--name must be a contract's name, such as Airdrop, got "drop".`],
    ["no name", { name: "", kind: "vote" }, `--name must be a contract's name, such as Poll, got "".`],
  ] as const) {
    it(`is ${what}`, async () => {
      const { refusal, list } = await fixture();
      expect(await refusal(options)).to.equal(message);
      expect(list()).to.deep.equal([]);
    });
  }

  for (const [kind, name] of [
    ["mint", "@openzeppelin/contracts"],
    ["claim", "@hardhat-identity/contracts"],
    ["claim", "@nomicfoundation/hardhat-ignition"],
    ["claim", "chai"],
  ] as const) {
    for (const [lock, command] of [
      ["package-lock.json", "npm install --save-dev"],
      ["pnpm-lock.yaml", "pnpm add --save-dev"],
      ["yarn.lock", "yarn add --dev"],
      ["bun.lock", "bun add --dev"],
    ] as const) {
      it(`includes an import of ${name} that is not installed, with the command of ${lock}`, async () => {
        const { refusal, folder, write, list } = await fixture();
        write(lock, "");
        rmSync(join(folder, "node_modules", name.replace(/\/.*/, "")), { recursive: true });
        expect(await refusal({ kind })).to.equal(
          `Nothing was written: the files import packages that are not installed in this project: ${name}. Run this, or add --install: ${command} ${name}`,
        );
        expect(list()).to.deep.equal([lock]);
      });
    }
  }

  it("ends when --install adds the missing packages before it writes", async () => {
    const { add, folder, list } = await fixture();
    for (const name of ["chai", "@nomicfoundation"]) rmSync(join(folder, "node_modules", name));
    const installed: unknown[] = [];
    await add({ install: (command) => installed.push(command, list()) });
    const command = ["npm", "install", "--save-dev", "chai", "@nomicfoundation/hardhat-ignition"];
    expect(installed).to.deep.equal([command, []]);
    expect(list()).to.include("test/Airdrop.ts");
    const { written } = await add({ kind: "vote", toolbox: "viem", install: () => undefined });
    expect(written).to.include("test/Poll.ts");
  });

  for (const [manager, lockFile, text, command] of [
    ["pnpm", "pnpm-lock.yaml", "", "pnpm add --save-dev --ignore-workspace-root-check"],
    ["Yarn 1", "yarn.lock", "# yarn lockfile v1\n", "yarn add --dev --ignore-workspace-root-check"],
    ["Yarn 4", "yarn.lock", "__metadata:\n  version: 8\n", "yarn add --dev"],
    ["npm", "package-lock.json", "{}", "npm install --save-dev"],
  ] as const) {
    it(`adds to the root of a workspace by ${manager}, which pnpm and Yarn 1 do only if told that this is meant`, async () => {
      const { refusal, folder, write } = await fixture();
      write(lockFile, text);
      if (manager === "pnpm") write("pnpm-workspace.yaml", "packages: ['*']");
      else write("package.json", JSON.stringify({ private: true, workspaces: ["packages/*"] }));
      rmSync(join(folder, "node_modules/chai"));
      expect((await refusal()).replace(/.*: /, "")).to.equal(`${command} chai`);
    });
  }

  it("does not include a package that the project's remappings lead to, for a contract alone", async () => {
    const { add, refusal, folder, write } = await fixture();
    for (const name of ["@openzeppelin", "chai"]) rmSync(join(folder, "node_modules", name));
    write(
      "remappings.txt",
      "forge-std/=lib/forge-std/src/\n@openzeppelin/=lib/openzeppelin-contracts/\nchai/=lib/chai/\n",
    );
    expect(await refusal({ kind: "mint" })).to.match(/not installed in this project: chai\. Run/);
    expect((await add({ kind: "mint", install: () => undefined })).contract).to.equal("Pass");
  });

  it("does not include a package that a workspace has, of which the project's repository is a submodule", async () => {
    const { add, folder, write, read } = await fixture();
    write("package.json", JSON.stringify({ workspaces: ["packages/*"] }));
    write("package-lock.json", "");
    setEnvironment({ npm_config_user_agent: undefined });
    write("packages/a/.git", "gitdir: ../../.git/modules/a");
    const project = join(folder, "packages/a");
    const folders = { root: project, sources: [project], tests: project, ignition: project };
    expect((await add({ folders })).contract).to.equal("Airdrop");
    // On GitHub, the submodule's repository stands alone.
    expect(read(`packages/a/${workflow}`)).to.include("run: npm install\n");
  });

  it("does not include a package that is installed above the project", async () => {
    const { add, folder, write } = await fixture();
    write(".git/HEAD", "");
    const project = join(folder, "contracts");
    const folders = { root: project, sources: [project], tests: project, ignition: project };
    expect((await add({ folders })).contract).to.equal("Airdrop");
  });
});

describe("identity init", () => {
  let configurations = 0;

  async function project(plugin: string | undefined, paths: object = {}, compiler: object = {}) {
    const made = await fixture();
    const run = (args: readonly string[]) => {
      const config = `hardhat.${++configurations}.config.ts`;
      made.write(
        config,
        `${plugin === undefined ? "const toolbox = [];" : `import toolbox from "@nomicfoundation/hardhat-${plugin}";`}
import identity from ${JSON.stringify(join(root, "tasks/index.ts"))};
export default { plugins: [toolbox, identity].flat(), solidity: ${JSON.stringify({ version: "0.8.37", path: solcPath, ...compiler })}, paths: ${JSON.stringify(paths)} };
`,
      );
      return runHardhat(["--config", join(made.folder, config), "identity", "init", ...args], {
        cwd: made.folder,
      });
    };
    return { ...made, run };
  }

  it("writes for the project's toolbox and folders, and prints the next steps", async () => {
    const paths = {
      sources: "src",
      ignition: "deploy",
      tests: { mocha: "specs", nodejs: "checks", solidity: "src" },
    };
    for (const [plugin, test, words] of [
      ["toolbox-mocha-ethers", "specs/Poll.ts", "ethers.deployContract"],
      ["toolbox-viem", "checks/Poll.ts", "viem.deployContract"],
    ] as const) {
      const { run, read, list, folder } = await project(plugin, paths);
      const { code, stdout } = await run(["--kind", "vote"]);
      const files = ["src/Poll.sol", test, "src/Poll.t.sol", "deploy/modules/Poll.ts", workflow];
      expect(stdout).to.equal(
        [
          ...files.map((file) => `Wrote ${file}`),
          "",
          "Next:",
          "  npx hardhat test",
          "  npx hardhat identity policy",
          "  npx hardhat identity attack Poll",
          "  npx hardhat identity dev --deploy Poll",
          "",
        ].join("\n"),
      );
      expect(code).to.equal(0);
      for (const name of ["attack", "dev"]) {
        rmSync(join(folder, "node_modules/@hardhat-identity", name), { recursive: true });
      }
      const again = await run(["--kind", "vote"]);
      expect(again.stdout).to.include("\nNothing was written. For another contract, add --name.\n");
      expect(again.stdout.split("\n").slice(-7, -1)).to.deep.equal([
        "  npx hardhat test",
        "  npx hardhat identity policy",
        "  npm install --save-dev @hardhat-identity/attack",
        "  npx hardhat identity attack Poll",
        "  npm install --save-dev @hardhat-identity/dev",
        "  npx hardhat identity dev --deploy Poll",
      ]);
      expect(list()).to.deep.equal(files.toSorted());
      expect(read(test)).to.include(words);
      expect((await run(["--kind", "vote"])).stdout).to.include(`${test} already exists\n`);
    }
  });

  it("keeps what --install prints out of its JSON, and writes nothing if the command fails", async () => {
    const made = await fixture();
    const { folder, list, write } = made;
    rmSync(join(folder, "node_modules/chai"));
    write(
      "hardhat.config.ts",
      `import toolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import identity from ${JSON.stringify(join(root, "tasks/index.ts"))};
export default { plugins: [toolbox, identity], solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} } };
`,
    );
    const bin = await temporaryFolder();
    const install = async (script: string, ...more: string[]) => {
      writeFileSync(join(bin, "npm"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const env = { PATH: `${bin}${delimiter}${process.env.PATH}` };
      return await runHardhatProcess(["identity", "init", "--install", ...more], { cwd: folder, env });
    };
    const message = "Nothing was written, because this failed: npm install --save-dev chai";
    for (const end of ["exit 3", "kill $$"]) {
      const failed = await install(`echo no network; ${end}`, "--json");
      const outcome = [failed.code, failed.stdout, failed.stderr.includes("no network\n"), list()];
      expect(outcome, end).to.deep.equal([1, `${JSON.stringify({ error: { message } })}\n`, true, []]);
    }
    const done = await install(`echo "added by $@"`, "--json");
    const written = [...filesOf("Airdrop"), workflow];
    const added = `${JSON.stringify({ contract: "Airdrop", written, unchanged: [] })}\n`;
    expect([done.code, done.stdout], done.stderr).to.deep.equal([0, added]);
    expect(done.stderr).to.include("added by install --save-dev chai\n");
    const inWords = await install(`echo "added by $@"`, "--name", "Raffle");
    expect(inWords.stdout).to.match(/^added by install --save-dev chai\nWrote contracts\/Raffle\.sol\n/);
  });

  it("refuses to mint where OpenZeppelin's ERC721 does not compile, and names what to set", async () => {
    for (const [compiler, shown] of [
      [{ settings: { evmVersion: "paris" } }, "0.8.37 for paris"],
      [{ version: "0.8.24" }, "0.8.24"],
      [{ version: "0.8.20" }, "0.8.20"],
      [{ settings: { evmVersion: "prague" } }, undefined],
      [{ version: "0.8.24", settings: { evmVersion: "cancun" } }, undefined],
    ] as const) {
      const { run, list } = await project("toolbox-mocha-ethers", {}, compiler);
      const { code, stderr } = await run(["--kind", "mint"]);
      expect([code, list().length > 0], shown).to.deep.equal(shown ? [1, false] : [0, true]);
      if (shown) {
        expect(stderr).to.include(
          `whose installed release needs solc 0.8.24 and evmVersion "cancun", or later; hardhat.config.ts has ${shown} for it. Set`,
        );
      }
      expect((await run(["--kind", "claim"])).code).to.equal(0);
    }
  });

  it("looks at the compiler that Hardhat takes: a file's own, or else the newest", async () => {
    const [paris, cancun] = ["paris", "cancun"].map((evmVersion) => ({ evmVersion }));
    const settingsOf = (version: string, settings?: object) => ({ version, path: solcPath, settings });
    const several = { compilers: [settingsOf("0.8.28", paris), settingsOf("0.8.24", cancun)] };
    const own = {
      compilers: [settingsOf("0.8.20")],
      overrides: { "contracts/Pass.sol": settingsOf("0.8.28") },
    };
    const old = { compilers: [settingsOf("0.8.19")] };
    const init = async (solidity: object, kind: string) => {
      const { run, list } = await project(
        "toolbox-mocha-ethers",
        {},
        { version: undefined, path: undefined, ...solidity },
      );
      const { stderr } = await run(["--kind", kind]);
      return [/hardhat.config.ts has (.*) for it/.exec(stderr)?.[1], list().includes("test/Airdrop.t.sol")];
    };
    expect(await init(several, "mint")).to.deep.equal(["0.8.28 for paris", false]);
    expect(await init(several, "claim")).to.deep.equal([undefined, false]);
    expect(await init(own, "mint")).to.deep.equal([undefined, false]);
    expect(await init(own, "claim")).to.deep.equal([undefined, false]);
    expect(await init(old, "claim")).to.deep.equal(["0.8.19", false]);
  });

  it("refuses a project without a toolbox", async () => {
    // A library without its toolbox's test runner is none.
    for (const plugin of [undefined, "ethers", "viem"]) {
      const { run, list } = await project(plugin);
      const { code, stdout } = await run(["--json"]);
      expect(JSON.parse(stdout).error.message).to.equal(
        "The test needs a Hardhat toolbox, and hardhat.config.ts has none in `plugins`: add " +
          "@nomicfoundation/hardhat-toolbox-mocha-ethers or @nomicfoundation/hardhat-toolbox-viem.",
      );
      expect(code).to.equal(1);
      expect(list()).to.deep.equal([]);
    }
  });
});
