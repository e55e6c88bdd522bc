// The options of every task, each described once. Hardhat gets them in index.ts; an action has its arguments' type from here.

/** The description of an option with a text. */
type Text = string;

/** An option without a value. */
interface Flag {
  readonly flag: string;
}

/** An argument without a name, which may be left out. */
interface Positional {
  readonly positional: string;
}

export type Option = Text | Flag | Positional;

const flag = (description: string): Flag => ({ flag: description });

const consumer = {
  consumer: "Address of the consumer, or its name on `identity dev` (required)",
};
const registry = { registry: "Address of the registry (default: the consumer's)" };
const provider = { provider: "Provider of the account, such as microblog (required)" };
const user = { user: "Address of the wallet that may use the verification (required)" };
const port = { port: "Port of the running `identity dev`, if several run" };
/** The options of all `identity signers` tasks. */
const ofRegistry = {
  registry: "Address of the registry (default: that of `identity dev`)",
  consumer: "Address or name of a consumer whose registry to use, instead of --registry",
  service: "URL of the service that has the signer (default: that of `identity dev`)",
};
const changeOfSigner = {
  signer: "Address of the signer (required)",
  ...ofRegistry,
  dryRun: flag("Print the simulated transaction without sending it"),
  batch: "File to write for Safe's Transaction Builder, instead of sending",
};

/** Task → option → description. Every task also has `--json`. */
export const options = {
  dev: {
    rpcPort: "Port of the chain's JSON-RPC, 0 for any free one (default: 8545)",
    port: "Port of the signer service, 0 for any free one (default: 3000)",
    demoPort: "Port of the demo, 0 for any free one (default: 4000 if free, else any)",
    deploy: "Ignition modules to deploy at start and after each change, separated by commas",
    store: "SQLite file for the database (default: one deleted on exit)",
    blockTime: "Seconds between blocks, such as 2, or 0.2 as on Base (default: a block per transaction)",
    readyFile: "JSON file that has the addresses and the process id while the stack runs",
  },
  init: {
    kind: "Kind of consumer: claim, mint, deposit or vote (default: claim)",
    name: "Name of the contract (default: Airdrop, Pass, Vault or Poll)",
    pace: "Most people to admit per window of time, such as 100/hour (default: any number)",
    install: flag("Install the packages that the files import"),
  },
  request: {
    ...consumer,
    account: "Wallet to sign in with: index or address (required)",
    submit: "Entry point to call, such as claim, or its full signature",
    args: "The entry point's other arguments, as a JSON object by name",
    value: "Wei to send along, decimal or hex (default: 0)",
    service: "URL of the signer service (default: that of `identity dev`)",
    ...port,
  },
  "credential set": {
    wallet: "Addresses of a person's wallets, or account numbers, separated by commas (required)",
    ...provider,
    from: `JSON file with {"accountId","traits","authenticatedAt"}, or - for standard input`,
    accountId: "Without --from: the account's id at the provider",
    traits: `Without --from: the account's traits, such as '{"followers":1200}'`,
    authenticatedAt: "Unix seconds of the last authentication (default: now)",
    ...port,
  },
  "credential list": {
    wallet: "Only credentials of this wallet",
    ...port,
  },
  "credential delete": { wallet: "Address of the wallet (required)", ...provider, ...port },
  "signers list": {
    ...ofRegistry,
    fromBlock: "Earliest block to search (default: as far back as 500 requests reach)",
    ...port,
  },
  "signers add": {
    ...changeOfSigner,
    yes: flag("Send without asking for confirmation"),
    ...port,
  },
  "signers remove": {
    ...changeOfSigner,
    yes: flag("Send without asking for confirmation, even if no working signer remains"),
    ...port,
  },
  "signers guard": {
    admin: "Administrator of the AccessManager, such as a multisig (required)",
    guardians: "Addresses that may remove signers at once, separated by commas (required)",
    manager: "Address of the AccessManager, once it is deployed",
    ...ofRegistry,
    dryRun: flag("Print the steps without sending the next one"),
    batch: "File to write for Safe's Transaction Builder, if the owner is a Safe",
    yes: flag("Send without asking for confirmation"),
    ...port,
  },
  verify: { deploymentId: "Name of Ignition's deployment (default: chain- and the chain's id)" },
  mint: {
    ...consumer,
    ...user,
    identity: "Any name; the same name is the same identity (required)",
    traits: "Traits to check against the policy, such as '{\"followers\":1200}' (default: unchecked)",
    ...registry,
    expiration: "Unix seconds (default: 300 s after the chain's time)",
    key: "Configuration variable with the signing key (default: the development key)",
    ...port,
  },
  check: {
    ...consumer,
    ...user,
    identityHash: "The verification's identity hash, 32 bytes hex (required)",
    expiration: "The verification's expiration, unix seconds (required)",
    signature: "The verification's signature, hex (required)",
    ...registry,
    ...port,
  },
  policy: {
    consumer:
      "Address of a deployed consumer, or its name on the stack (default: all in the project's source)",
    strict: flag("Fail on warnings, too"),
    ...port,
  },
  attack: {
    contract: { positional: "Name of the contract (default: all consumers of the project)" },
    consumer: "Address of a deployed consumer, or its name on the stack (default: deploy the contract)",
    args: "Arguments, in JSON: an array for the constructor, or an object by parameter name",
    abi: "File with the ABI of --consumer (default: that of the project's contract with the same code)",
    write: flag("Write a failing test for each contract with a fault"),
    sarif: "File to write for code scanning, in SARIF",
    ...port,
  },
  "send-calls": {
    file: "JSON file with an array of calls, or the request's fields",
    from: "Index or address of the sending account (default: 0)",
    to: "Recipient of a single call",
    value: "Wei to send with a single call (default: 0)",
    data: "Call data of a single call, hex",
    gasLimit: "Gas limit of a single call",
    id: "Id of the batch, hex (default: chosen by the wallet)",
    atomic: "Whether all calls must succeed or none (default: true)",
    timeout: "Seconds to wait for the batch (default: 60)",
    ...port,
  },
  storage: {
    address: "Address of the contract to read",
    position: "Storage slot, a hex integer",
    consumer: "Address of the consumer to read instead, or its name on `identity dev`",
    identityUsed: "Identity hash to look up in the --consumer contract",
    round: "Round, a whole number or 32 bytes hex (default: 0, the consumer itself)",
    mappingSlot: "Slot of the consumer's mapping of identities (default: that of VerifyOnce)",
    block: "Hex number, or latest, pending, safe, finalized, earliest (default: latest)",
    ...port,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Option>>>>;

export type TaskName = keyof typeof options;

/** The arguments that Hardhat passes to a task's action. */
export type Arguments<Task extends TaskName> = {
  readonly [Name in keyof (typeof options)[Task]]: (typeof options)[Task][Name] extends Flag
    ? boolean
    : string | undefined;
} & { readonly json: boolean };
