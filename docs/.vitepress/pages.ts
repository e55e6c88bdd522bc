/** A page of the site. */
interface Page {
  readonly text: string;
  /** Its path below `docs/`, after a slash and without the ending. */
  readonly link: string;
  /** The page's content, in a line. */
  readonly about: string;
}

/** Every page once, by reader and in the order of the sidebar. */
export const pages: readonly { readonly text: string; readonly items: readonly Page[] }[] = [
  {
    text: "Guide",
    items: [
      {
        text: "Getting started",
        link: "/getting-started",
        about: "from an empty folder to a passing CI run in ten minutes",
      },
      {
        text: "Skill for coding agents",
        link: "/SKILL",
        about: "install, init, test, attack, request, and what not to do, in one file",
      },
      {
        text: "How it works",
        link: "/how-it-works",
        about: "five steps from a wallet to the contract, and who learns what",
      },
      {
        text: "How it compares",
        link: "/compare",
        about: "with your own signature, World ID, Self and others, and when not to use it",
      },
      {
        text: "Status",
        link: "/status",
        about: "what is missing: a release, an audit, live tries; and how to install it today",
      },
      { text: "Glossary", link: "/glossary", about: "one word per concept" },
    ],
  },
  {
    text: "Contracts",
    items: [
      {
        text: "Choosing conditions",
        link: "/choosing",
        about: "what faking an account costs, and whom you exclude",
      },
      { text: "Writing a consumer", link: "/contracts", about: "base contracts, policies, proxies" },
      { text: "Testing", link: "/testing", about: "verifications in tests, with ethers and viem" },
      { text: "Testing in Solidity", link: "/foundry", about: "the same tests with Foundry and Hardhat" },
      {
        text: "Attacking and linting",
        link: "/linting",
        about: "every known misuse, tried on a chain, and problems in a policy",
      },
      { text: "What does green mean?", link: "/green", about: "what a passed attack proves, and what not" },
      { text: "Using the tasks", link: "/tasks", about: "the local stack, minting, requests, the allowlist" },
      { text: "Deploying a consumer", link: "/deploying", about: "with Ignition, and verified sources" },
      {
        text: "Using a partner's service",
        link: "/partner",
        about: "what to ask, and what you cannot change later",
      },
      {
        text: "Migrating from Base Verify",
        link: "/migrating",
        about: "and from services like it",
      },
    ],
  },
  {
    text: "CI",
    items: [{ text: "Tests in CI", link: "/ci", about: "the workflow, reports, browser tests and forks" }],
  },
  {
    text: "Apps",
    items: [
      { text: "Client SDK", link: "/client", about: "from a sign-in message to a receipt" },
      { text: "React", link: "/react", about: "a hook and a button for one claim" },
      {
        text: "Verify page",
        link: "/verify-page",
        about: "where people verify an account, and how your app sends them there",
      },
      {
        text: "Your users",
        link: "/your-users",
        about: "screens, answers, and a privacy notice to copy",
      },
      {
        text: "Reading storage",
        link: "/storage",
        about: "whether an identity is used, before the block is mined",
      },
      {
        text: "Development wallet",
        link: "/wallet",
        about: "wallet_sendCalls on a local network, and every refusal",
      },
    ],
  },
  {
    text: "Operators",
    items: [
      {
        text: "Run it on one machine",
        link: "/one-machine",
        about: "SQLite and systemd, for a test chain, in about 15 minutes",
      },
      {
        text: "Deploying to production",
        link: "/deployment",
        about: "replicas behind a proxy, in ten steps",
      },
      {
        text: "The registry",
        link: "/registry",
        about: "its deployment, guardians and allowlist, and one address on every chain",
      },
      { text: "Running the service", link: "/signer", about: "readiness, the node, pins, limits, the log" },
      {
        text: "Providers",
        link: "/providers",
        about: "conditions that a contract can use, and how to connect a provider",
      },
      {
        text: "Keys and secrets",
        link: "/keys",
        about: "hardware tokens, KMS, a spare signer, the encryption secret",
      },
      { text: "Database", link: "/store", about: "engines, migrations, moving it, what is erased" },
      {
        text: "Failover and scaling",
        link: "/failover",
        about: "when a replica or database server fails; what grows with what",
      },
      {
        text: "Audit trail",
        link: "/audit",
        about: "every signature and change, and proof that none is missing",
      },
      { text: "Watching", link: "/watch", about: "forged claims after a leaked key, and a brake" },
    ],
  },
  {
    text: "Runbooks",
    items: [
      {
        text: "When an alert fires",
        link: "/operations",
        about: "what to do, by alert; what each failure looks like",
      },
      {
        text: "When a secret leaks or is lost",
        link: "/leaks",
        about: "a signing key or the master secret, in steps",
      },
      { text: "Back up and restore", link: "/backup", about: "PostgreSQL and SQLite, and what was erased" },
      { text: "Upgrade and roll back", link: "/upgrading", about: "one machine after the other" },
      { text: "Rotate the signing key", link: "/rotation", about: "once a year, without a pause" },
    ],
  },
  {
    text: "Trust",
    items: [
      { text: "Security", link: "/security", about: "what is promised, and what holds it" },
      {
        text: "Promises and tests",
        link: "/promises",
        about: "the tests that attack each promise, by its number",
      },
      {
        text: "For auditors",
        link: "/auditors",
        about: "who is trusted, external calls, assembly, invariants, bytecode",
      },
      { text: "Gas", link: "/gas", about: "what a claim costs, here and elsewhere" },
      {
        text: "Performance",
        link: "/performance",
        about: "requests a second beside alternatives, floods, killed databases",
      },
      {
        text: "Architecture",
        link: "/architecture",
        about: "the folders, and the path of a claim through them",
      },
      {
        text: "Releasing",
        link: "/releasing",
        about: "for maintainers: names, accounts, the workflow, and what to change afterwards",
      },
    ],
  },
  {
    text: "Reference",
    items: [
      { text: "Troubleshooting", link: "/faq", about: "messages and symptoms, and how to fix them" },
      {
        text: "Contract errors",
        link: "/errors/contract",
        about: "every revert of the registry and consumers",
      },
      { text: "Service errors", link: "/errors/service", about: "every HTTP error code" },
      {
        text: "Wallet errors",
        link: "/errors/wallet",
        about: "every JSON-RPC error code of wallet_sendCalls",
      },
      { text: "Task reference", link: "/reference/tasks", about: "every task and option" },
      { text: "Settings", link: "/reference/settings", about: "every setting of the service" },
      { text: "Metrics", link: "/reference/metrics", about: "every metric of the service and the watch" },
      { text: "HTTP API", link: "/reference/http", about: "every endpoint, request and response" },
      { text: "Client API", link: "/reference/client", about: "every function and type of the SDK" },
      {
        text: "Contract API",
        link: "/reference/contracts",
        about: "every function, event and error in Solidity",
      },
    ],
  },
];
