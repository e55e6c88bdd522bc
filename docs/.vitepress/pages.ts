/** A page of the site. */
interface Page {
  readonly text: string;
  /** Its path below `docs/`, after a slash and without the ending. */
  readonly link: string;
  /** What a reader finds there, in a line. */
  readonly about: string;
}

/** Every page, in the order of the sidebar: once each. */
export const pages: readonly { readonly text: string; readonly items: readonly Page[] }[] = [
  {
    text: "Start",
    items: [
      {
        text: "Getting started",
        link: "/getting-started",
        about: "from nothing to a green CI in ten minutes",
      },
      { text: "Questions", link: "/faq", about: "the failures that people meet, and what to do" },
      {
        text: "Migrating",
        link: "/migrating",
        about: "coming from the hosted service of the same shape",
      },
    ],
  },
  {
    text: "Contracts",
    items: [
      { text: "Writing", link: "/contracts", about: "a consumer: bases, policy, proxies, gas" },
      { text: "Gas", link: "/gas", about: "what a claim costs, here and elsewhere" },
      { text: "Testing", link: "/testing", about: "verifications in tests, with ethers and with viem" },
      { text: "Foundry", link: "/foundry", about: "the contracts and their tests without Hardhat" },
      { text: "Linting", link: "/linting", about: "what is wrong with a policy, before it is deployed" },
      { text: "Forks and CI", link: "/forks-and-ci", about: "the same tests on a fork, and without one" },
      {
        text: "Deploying",
        link: "/deployment",
        about: "contracts with Ignition, and the service in ten steps",
      },
    ],
  },
  {
    text: "Apps",
    items: [
      { text: "Integrating", link: "/client", about: "the SDK: from a claim to its receipt" },
      { text: "Reading storage", link: "/storage", about: "whether an identity is used, before it is mined" },
      { text: "Development wallet", link: "/wallet", about: "wallet_sendCalls on a local network" },
    ],
  },
  {
    text: "Service",
    items: [
      { text: "Operating", link: "/signer", about: "settings, readiness, metrics, limits" },
      {
        text: "Keys and secrets",
        link: "/keys",
        about: "tokens, KMS, encryption; when one leaks or is lost",
      },
      { text: "Store", link: "/store", about: "engines, migrations, moving it, what is erased" },
      {
        text: "Running it",
        link: "/operations",
        about: "what to do at an alert; rotation, upgrades, backups",
      },
      {
        text: "Failures",
        link: "/failures",
        about: "what you see when a part fails, and which alert tells you",
      },
      { text: "Scaling", link: "/scaling", about: "what grows with what, and the next bottleneck" },
      { text: "Audit trail", link: "/audit", about: "what was signed and changed, and whether that is all" },
      { text: "Providers", link: "/providers", about: "where accounts are proven" },
      { text: "Verify page", link: "/verify-page", about: "where people prove an account, and delete it" },
      {
        text: "Performance",
        link: "/performance",
        about: "requests a second beside others, and how to measure",
      },
      {
        text: "Failover",
        link: "/failover",
        about: "replicas on a replicated database, and what becomes of them when a part fails",
      },
      { text: "Security", link: "/security", about: "what is promised, and what holds it" },
    ],
  },
  {
    text: "Reference",
    items: [
      { text: "Tasks", link: "/reference/tasks", about: "every task with its options" },
      { text: "The tasks at work", link: "/tasks", about: "the stack, minting, requests" },
      { text: "HTTP", link: "/reference/http", about: "every endpoint, request and answer" },
      { text: "Client", link: "/reference/client", about: "every function and type of the SDK" },
      {
        text: "Contracts",
        link: "/reference/contracts",
        about: "every function, event and error in Solidity",
      },
      { text: "Architecture", link: "/architecture", about: "the rooms, and the way of a claim" },
    ],
  },
  {
    text: "Errors",
    items: [
      { text: "Of contracts", link: "/errors/contract", about: "what registry and consumers revert with" },
      { text: "Of the service", link: "/errors/service", about: "every code over HTTP" },
      { text: "Of the wallet", link: "/errors/wallet", about: "every JSON-RPC code of wallet_sendCalls" },
      {
        text: "Of EDR",
        link: "/upstream/edr-mine-on-op",
        about: "why hardhat_mine ends the process on a chain of type op, as a report",
      },
    ],
  },
];
