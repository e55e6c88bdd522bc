// Which package may import from which: what its package.json declares, and all of that. docs/architecture.md has the same
// list for people; a test compares the two.
import { globSync, readFileSync } from "node:fs";

const root = new URL("./", import.meta.url);
const manifests = Object.fromEntries(
  globSync(["{contracts,ignition,tasks,signer}/package.json", "packages/*/package.json"], { cwd: root }).map(
    (file) => [file.replace("/package.json", ""), JSON.parse(readFileSync(new URL(file, root), "utf8"))],
  ),
);
const folders = Object.keys(manifests);
const named = (names) => folders.filter((folder) => names.includes(manifests[folder].name)).sort();

/** Folder of a package → folders of the packages that it needs. */
export const uses = {};
/** Folder of a package → folders of the packages that it loads if they are installed. */
const doors = {};
for (const [folder, manifest] of Object.entries(manifests)) {
  const optional = Object.keys(manifest.peerDependenciesMeta ?? {});
  const { dependencies, devDependencies, peerDependencies } = manifest;
  const all = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
  uses[folder] = named(all.filter((name) => !optional.includes(name)));
  doors[folder] = named(optional);
}

// The floors of each room, from the ground up: which of its folders may import from which, all of them below it. Files that
// stand beside the folders are the room's entrance, or what all of its folders share.
export const floors = {
  signer: { internal: [] },
  "signer/internal": {
    curve: [],
    network: [],
    errors: [],
    limits: ["network", "errors"],
    keys: ["curve"],
    monitoring: [],
    config: ["curve", "network", "keys"],
    service: ["curve", "network", "errors", "limits", "keys", "monitoring", "config"],
    http: ["network", "errors", "limits", "keys", "monitoring", "service"],
  },
  "packages/protocol": { signIn: [], chain: [] },
  "packages/store": {
    files: [],
    database: ["files"],
    audit: ["database"],
    credentials: ["database", "audit"],
  },
  tasks: { internal: [], hooks: ["internal"], actions: ["internal"], ignition: [] },
  "tasks/internal": {
    console: [],
    consumer: [],
    init: [],
    wallet: ["console"],
    deployment: ["consumer", "wallet"],
    lint: ["consumer"],
    stack: ["console", "consumer"],
    testing: ["consumer", "wallet"],
  },
  "packages/dev": { sandbox: [], demo: [], internal: ["sandbox", "demo"], actions: ["internal"] },
  "packages/registry": { internal: [], actions: ["internal"] },
  "packages/registry/internal": { chain: [], plan: ["chain"], send: ["chain", "plan"], verify: [] },
  "packages/wallet": { internal: [], hooks: ["internal"] },
  "packages/attack": { internal: [], actions: ["internal"] },
  "packages/operator": {
    store: [],
    operations: ["store"],
    watch: ["store"],
    cli: ["store", "operations", "watch"],
  },
  "packages/operator/watch": { reading: [], judging: ["reading"], telling: ["reading", "judging"] },
  "packages/verify-page": {
    content: [],
    html: ["content"],
    connectors: [],
    providers: ["connectors"],
    server: ["content", "html", "connectors", "providers"],
    shared: ["content"],
    page: ["content", "shared"],
  },
  "packages/client": {
    internal: [],
    signIn: ["internal"],
    verification: ["internal"],
    storage: ["internal"],
    calls: ["internal"],
    react: [],
  },
  bench: {
    rivals: [],
    load: [],
    environment: ["rivals", "load"],
    checks: ["load", "environment"],
    report: ["load", "environment"],
    cluster: ["environment", "checks"],
    scenarios: ["load", "environment", "checks", "report", "cluster"],
  },
};
for (const [room, table] of Object.entries(floors)) {
  const folders = Object.keys(table);
  for (const [folder, below] of Object.entries(table)) {
    const above = below.find((other) => folders.indexOf(other) >= folders.indexOf(folder));
    if (above !== undefined)
      throw new Error(`${room}/${folder} cannot stand on ${above}, which is above it.`);
  }
}

const rooms = folders.concat("test", "scripts", "bench");

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-circle-of-folders",
      comment: "A circle means that two folders are one.",
      severity: "error",
      scope: "folder",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-circle-of-files",
      comment: "A circle means that two files are one.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    ...folders.map((folder) => ({
      name: `${folder}-imports-what-it-declares`,
      severity: "error",
      from: { path: `^${folder}/` },
      to: {
        path: `^(${rooms.filter((other) => ![folder, ...uses[folder], ...doors[folder]].includes(other)).join("|")})/`,
      },
    })),
    ...folders
      .filter((folder) => doors[folder].length > 0)
      .map((folder) => ({
        name: `${folder}-loads-what-may-be-missing`,
        comment: "A package that may not be installed is imported when it is needed.",
        severity: "error",
        from: { path: `^${folder}/` },
        to: { path: `^(${doors[folder].join("|")})/`, dynamic: false },
      })),
    {
      name: "internal-stays-internal",
      comment: "What is in a package's internal/ is for its own product's packages.",
      severity: "error",
      from: { path: "^bench/" },
      to: { path: "/internal/", pathNot: "^bench/" },
    },
    {
      name: "rivals-use-nothing-of-ours",
      comment: "The rivals are what people would write without this package, so they import none of it.",
      severity: "error",
      from: { path: "^bench/rivals/" },
      to: { path: `^(${folders.join("|")})/`, reachable: true },
    },
    {
      name: "client-needs-no-zod",
      comment:
        "Schemas belong to the service; the client's users get interfaces and types that need no package.",
      severity: "error",
      from: { path: "^packages/client/" },
      to: { path: "^(signer/schemas\\.ts$|node_modules/zod/)", reachable: true },
    },
    {
      name: "browser-rooms-have-no-node",
      comment: "These run in a browser.",
      severity: "error",
      from: {
        path: "^(packages/(protocol|client|wallet|verify-page/(content|page|shared)|dev/demo))/",
      },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "pages-take-no-schemas",
      comment: "The page's script holds the types of what it is answered, not Zod and the schemas.",
      severity: "error",
      from: { path: "^packages/(verify-page/(page|shared)|dev/demo)/" },
      to: { path: "^packages/verify-page/messages\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    ...Object.entries(floors).flatMap(([room, table]) =>
      Object.entries(table).map(([folder, below]) => ({
        name: `${room}/${folder}-uses-${below.join("-") || "nothing"}`,
        severity: "error",
        from: { path: `^${room}/${folder}/` },
        to: { path: `^${room}/[^/]+/`, pathNot: `^${room}/(${[folder, ...below].join("|")})/` },
      })),
    ),
    ...Object.entries(floors).map(([room, table]) => ({
      name: `${room}-has-no-other-folders`,
      comment: "Each folder of a room has its place among the floors.",
      severity: "error",
      from: {},
      to: { path: `^${room}/[^/]+/`, pathNot: `^${room}/(${Object.keys(table).join("|")})/` },
    })),
    {
      name: "tasks-load-without-artifacts",
      comment:
        "A deployment reads compiled contracts; a task must load in a fresh clone, before there are any.",
      severity: "error",
      from: {
        path: "^(tasks|packages)/",
        pathNot: "^(tasks/ignition/|packages/dev/internal/deploy\\.ts$)",
      },
      to: { path: "^(ignition/modules/|packages/dev/internal/deploy\\.ts$)", dynamic: false },
    },
    {
      name: "oauth-server-in-the-sandbox-alone",
      comment: "The sandbox stands in for providers, so only development loads its OAuth server.",
      severity: "error",
      from: { path: "^(?!packages/dev/sandbox/)[^/]+/" },
      to: { path: "^node_modules/oidc-provider/" },
    },
    {
      name: "signer-binary-needs-no-hardhat",
      comment: "An operator installs neither Hardhat nor what only the sandbox needs.",
      severity: "error",
      from: { path: "^packages/operator/cli/identity-signer\\.ts$" },
      to: {
        path: "^node_modules/(hardhat|@nomicfoundation|oidc-provider)/",
        reachable: true,
      },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
