// Which room may import from which. docs/architecture.md has the same list for people; a test compares the two.
export const uses = {
  protocol: [],
  ignition: ["protocol"],
  chain: ["protocol"],
  client: ["protocol"],
  wallet: ["protocol"],
  pkcs11: ["protocol"],
  console: ["protocol"],
  web: ["protocol", "client", "wallet"],
  signer: ["protocol", "chain", "pkcs11", "console", "web"],
  sandbox: ["protocol", "chain", "signer", "web"],
  tasks: ["protocol", "ignition", "chain", "client", "wallet", "console", "signer", "sandbox", "web"],
};

// The floors of each room, from the ground up: which of its folders may import from which, all of them below it. Files that
// stand beside the folders are the room's entrance, or what all of its folders share.
export const floors = {
  signer: { pages: [], providers: [], internal: ["pages", "providers"], operations: [], cli: ["operations"] },
  "signer/internal": {
    curve: [],
    files: [],
    network: [],
    errors: [],
    limits: ["network", "errors"],
    keys: ["curve", "files"],
    providers: ["files", "network"],
    database: ["files", "network"],
    monitoring: ["database"],
    audit: ["database", "monitoring"],
    credentials: ["files", "database", "monitoring", "audit"],
    config: ["curve", "files", "network", "keys", "providers", "database"],
    watch: ["curve", "network", "errors", "keys", "database", "monitoring", "audit", "config"],
    service: [
      "curve",
      "network",
      "errors",
      "limits",
      "keys",
      "providers",
      "database",
      "monitoring",
      "audit",
      "credentials",
      "config",
    ],
    http: ["network", "errors", "limits", "keys", "database", "monitoring", "service"],
    verify: ["network", "errors", "limits", "providers", "monitoring", "credentials", "service", "http"],
  },
  "tasks/internal": {
    console: [],
    consumer: [],
    init: [],
    wallet: ["console"],
    deployment: ["consumer", "wallet"],
    lint: ["consumer"],
    stack: ["console", "consumer", "deployment"],
    signers: ["consumer", "wallet", "stack"],
    attack: ["consumer", "init", "wallet", "lint"],
    testing: ["consumer", "wallet", "stack", "attack"],
  },
  client: {
    internal: [],
    signIn: ["internal"],
    verification: ["internal"],
    storage: ["internal"],
    calls: ["internal"],
  },
  web: {
    content: [],
    shared: ["content"],
    verify: ["content", "shared"],
    demo: ["content", "shared"],
    server: ["content"],
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

const rooms = [...Object.keys(uses), "test", "scripts", "bench"];

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
    ...Object.entries(uses).map(([room, allowed]) => ({
      name: `${room}-uses-${allowed.join("-") || "nothing"}`,
      severity: "error",
      from: { path: `^${room}/` },
      to: { path: `^(${rooms.filter((other) => other !== room && !allowed.includes(other)).join("|")})/` },
    })),
    {
      name: "internal-stays-internal",
      comment:
        "What is in a room's internal/ is not meant for other rooms; only tests look in, and what writes the reference.",
      severity: "error",
      from: { path: "^([^/]+)/", pathNot: "^(test|scripts/reference)/" },
      to: { path: "^[^/]+/internal/", pathNot: "^$1/" },
    },
    {
      name: "rivals-use-nothing-of-ours",
      comment: "What people would write themselves is written with what they have.",
      severity: "error",
      from: { path: "^bench/rivals/" },
      to: { path: `^(${Object.keys(uses).join("|")})/`, reachable: true },
    },
    {
      name: "client-needs-no-zod",
      comment:
        "Schemas are the service's; whoever uses the client gets interfaces, and types that need no package.",
      severity: "error",
      from: { path: "^client/" },
      to: { path: "^(protocol/schemas\\.ts$|node_modules/zod/)", reachable: true },
    },
    {
      name: "browser-rooms-have-no-node",
      comment: "protocol/, chain/, client/, wallet/ and the pages of web/ run in a browser.",
      severity: "error",
      from: { path: "^(protocol|chain|client|wallet|web/(verify|demo|shared|content))/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "pages-take-no-schemas",
      comment: "The page's script holds the types of what it is answered, not Zod and the schemas.",
      severity: "error",
      from: { path: "^web/" },
      to: { path: "^protocol/verifyPage\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "pages-do-not-bundle",
      comment: "web/server/ bundles the pages; it runs in Node.",
      severity: "error",
      from: { path: "^web/(verify|demo|shared|content)/" },
      to: { path: "^web/server/" },
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
      name: "the-command-line-brings-the-pages",
      comment: "The service serves the bundle that it gets. Its pages without scripts show the same content.",
      severity: "error",
      from: { path: "^(signer|sandbox)/", pathNot: "^signer/cli/" },
      to: { path: "^web/", pathNot: "^web/content/" },
    },
    {
      name: "the-service-does-not-print",
      comment: "The service writes to its log.",
      severity: "error",
      from: { path: "^signer/", pathNot: "^signer/(cli|operations)/" },
      to: { path: "^console/" },
    },
    {
      name: "signer-is-used-from-above",
      comment: "The service knows nothing of the command line that starts it, and of what operators do.",
      severity: "error",
      from: { path: "^signer/", pathNot: "^signer/(cli|operations)/" },
      to: { path: "^signer/(cli|operations)/" },
    },
    {
      name: "one-command-line",
      comment:
        "The plugin is no second door to a service: what both do is in signer/operations/, and how they say it in console/.",
      severity: "error",
      from: { path: "^(?!signer/cli/|test/)" },
      to: { path: "^signer/cli/" },
    },
    {
      name: "tasks-load-without-artifacts",
      comment:
        "A deployment reads compiled contracts; a task must load in a fresh clone, before there are any.",
      severity: "error",
      from: { path: "^(tasks|signer)/", pathNot: "^tasks/internal/stack/deploy\\.ts$" },
      to: { path: "^(ignition/modules/|tasks/internal/stack/deploy\\.ts$)", dynamic: false },
    },
    {
      name: "oauth-server-in-the-sandbox-alone",
      comment: "What stands in for a provider is loaded for development only.",
      severity: "error",
      from: { path: "^(?!sandbox/)[^/]+/" },
      to: { path: "^node_modules/oidc-provider/" },
    },
    {
      name: "signer-binary-needs-no-hardhat",
      comment: "An operator installs neither Hardhat nor what only the sandbox needs.",
      severity: "error",
      from: { path: "^signer/cli/identity-signer\\.ts$" },
      to: {
        path: "^node_modules/(hardhat|@nomicfoundation|oidc-provider)/",
        reachable: true,
      },
    },
    {
      name: "declared-dependencies-only",
      severity: "error",
      from: {
        path: "^(protocol|chain|client|wallet|pkcs11|console|signer|sandbox|web/(content|server)|tasks|ignition)/",
      },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "unknown", "undetermined", "npm-unknown"],
        pathNot: "^node_modules/(hardhat|@nomicfoundation|viem|vite|@types|oidc-provider|pkcs11js)/",
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
