/** A page of the site. */
interface Page {
  readonly text: string;
  /** Its path below `docs/`, after a slash and without the ending. */
  readonly link: string;
  /** What a reader finds there, in a line. */
  readonly about: string;
}

/** Every page once, by the reader's purpose and in the order of the sidebar. */
export const pages: readonly { readonly text: string; readonly items: readonly Page[] }[] = [
  {
    text: "Start here",
    items: [
      {
        text: "Getting started",
        link: "/getting-started",
        about: "from an empty folder to a green CI in ten minutes",
      },
      {
        text: "How it works",
        link: "/how-it-works",
        about: "five steps from a wallet to the contract, and who learns what",
      },
    ],
  },
  {
    text: "Build a consumer",
    items: [
      { text: "Writing a consumer", link: "/contracts", about: "base contracts, policies, proxies" },
      { text: "Testing", link: "/testing", about: "verifications in tests, with ethers and viem" },
      {
        text: "Testing in Solidity",
        link: "/foundry",
        about: "the same tests with Foundry and Hardhat",
      },
      {
        text: "Attacking and linting",
        link: "/linting",
        about: "every known misuse, tried on a chain, and problems in a policy",
      },
      {
        text: "Forks and CI",
        link: "/forks-and-ci",
        about: "the same tests offline, on a fork and in GitHub Actions",
      },
      { text: "Using the tasks", link: "/tasks", about: "the local stack, minting, requests, the allowlist" },
      { text: "Gas", link: "/gas", about: "the cost of a claim, here and elsewhere" },
      {
        text: "Migrating from a hosted service",
        link: "/migrating",
        about: "moving from a hosted service of the same shape",
      },
    ],
  },
  {
    text: "Use it from an app",
    items: [
      { text: "Client SDK", link: "/client", about: "from a sign-in message to a receipt" },
      {
        text: "Verify page",
        link: "/verify-page",
        about: "where people prove an account, and how your app sends them there",
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
    text: "Run the service",
    items: [
      {
        text: "Deployment",
        link: "/deployment",
        about: "contracts with Ignition, and the service in ten steps",
      },
      {
        text: "Running in production",
        link: "/operations",
        about: "what to do at an alert; rotation, upgrades, backups",
      },
      {
        text: "Failures",
        link: "/failures",
        about: "what you see when a part fails, and which alert tells you",
      },
      { text: "Settings and endpoints", link: "/signer", about: "settings, readiness, metrics, limits" },
      {
        text: "Providers",
        link: "/providers",
        about: "conditions that a contract can use, and how to connect a provider",
      },
      {
        text: "Keys and secrets",
        link: "/keys",
        about: "tokens, KMS, encryption; when one leaks or is lost",
      },
      { text: "Database", link: "/store", about: "engines, migrations, moving it, what is erased" },
      { text: "Failover", link: "/failover", about: "what happens when a replica or a database fails" },
      { text: "Scaling", link: "/scaling", about: "what grows with what, and the next bottleneck" },
      {
        text: "Performance",
        link: "/performance",
        about: "requests a second beside alternatives, and how to measure",
      },
      {
        text: "Audit trail",
        link: "/audit",
        about: "every signature and change, and proof that none is missing",
      },
      { text: "Watching", link: "/watch", about: "forged claims after a leaked key, and a brake" },
      { text: "Security", link: "/security", about: "what is promised, and what holds it" },
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
      { text: "HTTP API", link: "/reference/http", about: "every endpoint, request and response" },
      { text: "Client API", link: "/reference/client", about: "every function and type of the SDK" },
      {
        text: "Contract API",
        link: "/reference/contracts",
        about: "every function, event and error in Solidity",
      },
      {
        text: "For auditors",
        link: "/auditors",
        about: "who is trusted, external calls, assembly, invariants, bytecode",
      },
      {
        text: "Architecture",
        link: "/architecture",
        about: "the folders, and the path of a claim through them",
      },
    ],
  },
];
