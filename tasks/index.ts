import { emptyTask, overrideTask, task } from "hardhat/config";
import { definePlugin } from "hardhat/plugins";
import { ArgumentType } from "hardhat/types/arguments";
import type { LazyActionObject, NewTaskActionFunction } from "hardhat/types/tasks";
import "./type-extensions.ts";

interface Option {
  readonly name: string;
  readonly description: string;
  /** Whether it is given without a text. */
  readonly flag?: true;
}

const consumer = {
  name: "consumer",
  description: "Address of the consumer contract, or its name on the running `identity dev`",
};
const registry = {
  name: "registry",
  description: "Address of the registry (default: what the consumer says)",
};
const provider = { name: "provider", description: "Provider of the account, such as microblog" };
const user = { name: "user", description: "The wallet that may spend the verification" };
/** What the tasks of `identity signers` are about. */
const ofRegistry = [
  { name: "registry", description: "Address of the registry (default: that of the running `identity dev`)" },
  { name: "consumer", description: "In its place a consumer that tells it: address, or name on the stack" },
  {
    name: "service",
    description: "URL of a service, which tells who signs (default: that of the running `identity dev`)",
  },
];
const changeOfSigner = [
  { name: "signer", description: "Address of the signer" },
  ...ofRegistry,
  { name: "dryRun", description: "Try it out, print the transaction, and send nothing", flag: true },
  {
    name: "batch",
    description: "File to write the transaction to for Safe's Transaction Builder; nothing is sent",
  },
] satisfies Option[];
const port = { name: "port", description: "Port of the running `identity dev`, where several run" };

/** A task whose options may be left out: texts and flags, and `--json`. */
function identityTask(
  name: string,
  about: string,
  options: Option[],
  action: LazyActionObject<NewTaskActionFunction>,
) {
  const builder = task(["identity", ...name.split(" ")], about).addFlag({
    name: "json",
    description: "Print one line of JSON",
  });
  for (const { flag, ...option } of options) {
    if (flag) builder.addFlag(option);
    else builder.addOption({ ...option, type: ArgumentType.STRING_WITHOUT_DEFAULT, defaultValue: undefined });
  }
  return builder.setAction(action).build();
}

export default definePlugin({
  id: "hardhat-identity",
  npmPackage: "hardhat-identity",
  hookHandlers: {
    config: () => import("./hooks/config.ts"),
    network: () => import("./hooks/network.ts"),
  },
  dependencies: () => [import("@nomicfoundation/hardhat-ignition")],
  tasks: [
    overrideTask(["ignition", "deploy"])
      .setAction(() => import("./actions/ignition.deploy.ts"))
      .build(),
    ...["verify", "verify etherscan", "verify blockscout", "verify sourcify"].map((name) =>
      overrideTask(name.split(" "))
        .setAction(() => import("./actions/verify.ts"))
        .build(),
    ),
    overrideTask(["ignition", "status"])
      .setAction(() => import("./actions/ignition.status.ts"))
      .build(),
    overrideTask(["ignition", "verify"])
      .setAction(() => import("./actions/ignition.verify.ts"))
      .build(),
    emptyTask("identity", "Verifications of real-world identities, from a test to a running signer").build(),
    identityTask(
      "dev",
      "Run the whole stack on loopback: chain 84532, registry, example consumers, signer, verify page, demo",
      [
        { name: "rpcPort", description: "Port of the chain's JSON-RPC endpoint, 0 for any (default: 8545)" },
        { name: "port", description: "Port of the signer service, 0 for any (default: 3000)" },
        { name: "demoPort", description: "Port of the demo, 0 for any (default: 4000, or any)" },
        {
          name: "deploy",
          description: "Ignition modules of yours to deploy, too, and again on change, separated by commas",
        },
        { name: "store", description: "File of the credential store to keep (default: deleted on exit)" },
        { name: "blockTime", description: "Seconds between blocks (default: a block for each transaction)" },
        {
          name: "acceptMissingValue",
          description: "Take calls without a value in wallet_sendCalls, as viem sends them",
          flag: true,
        },
        {
          name: "readyFile",
          description: "File to keep the addresses and the process id in, as JSON, while everything runs",
        },
        { name: "open", description: "Open the demo in the browser when everything is ready", flag: true },
      ],
      () => import("./actions/dev.ts"),
    ),
    identityTask(
      "init",
      "Add a consumer, its test, its deployment module and a CI workflow to this project",
      [
        { name: "kind", description: "What it is for: claim, mint, deposit or vote (default: claim)" },
        { name: "name", description: "The contract's name (default: Airdrop, Pass, Vault or Poll)" },
        {
          name: "overwrite",
          description: "Replace files that are there already, without asking",
          flag: true,
        },
        {
          name: "install",
          description: "Add the packages that the files import, by the project's package manager",
          flag: true,
        },
      ],
      () => import("./actions/init.ts"),
    ),
    identityTask(
      "serve",
      "Run the signer service alone, as the environment configures it",
      [],
      () => import("./actions/serve.ts"),
    ),
    identityTask(
      "request",
      "Get a verification as an app does: sign in, ask the signer, and submit with --submit",
      [
        consumer,
        { name: "account", description: "The wallet: index or address of one of the node's accounts" },
        { name: "submit", description: "Entry point to call, such as enroll, or its whole signature" },
        { name: "args", description: "The entry point's other arguments, as a JSON object by name" },
        { name: "value", description: "Wei to send along, decimal or hex (default: 0)" },
        { name: "service", description: "URL of the signer service (default: that of `identity dev`)" },
        port,
      ],
      () => import("./actions/request.ts"),
    ),
    emptyTask(["identity", "credential"], "What the signer knows of wallets").build(),
    identityTask(
      "credential set",
      "Store a credential in place of the one that the wallet has at this provider",
      [
        { name: "wallet", description: "Address, or several of one person, separated by commas" },
        provider,
        {
          name: "from",
          description: `JSON file with {"accountId","traits","authenticatedAt"}, or - for standard input`,
        },
        {
          name: "accountId",
          description: "Without --from: the provider's account id; only its keyed hash is stored",
        },
        { name: "account", description: "The same as --account-id" },
        {
          name: "traits",
          description: `Without --from: what the provider says, such as '{"followers":1200}'`,
        },
        { name: "authenticatedAt", description: "Unix seconds of the last authentication (default: now)" },
        port,
      ],
      () => import("./actions/credential.set.ts"),
    ),
    identityTask(
      "credential list",
      "List the credentials, without account ids: those are not stored",
      [
        { name: "wallet", description: "Only those of this address" },
        { name: "provider", description: "Only those of this provider, such as microblog" },
        { name: "limit", description: "So many at most (default: all)" },
        port,
      ],
      () => import("./actions/credential.list.ts"),
    ),
    identityTask(
      "credential export",
      "Write all credentials and pins into an encrypted file, for another store",
      [{ name: "to", description: "Path of a new file" }, port],
      () => import("./actions/credential.export.ts"),
    ),
    identityTask(
      "credential import",
      "Bring the credentials and pins of an export into the store",
      [{ name: "from", description: "File that credential export has written" }, port],
      () => import("./actions/credential.import.ts"),
    ),
    identityTask(
      "credential delete",
      "Erase a wallet's credential",
      [{ name: "wallet", description: "Address" }, provider, port],
      () => import("./actions/credential.delete.ts"),
    ),
    emptyTask(["identity", "pins"], "The policies that contracts are held to").build(),
    identityTask(
      "pins list",
      "List the contracts that were answered for, and the policy that each is held to",
      [port],
      () => import("./actions/pins.list.ts"),
    ),
    identityTask(
      "pins reset",
      "Forget what a contract is held to: its next policy that is answered for is pinned",
      [consumer, port],
      () => import("./actions/pins.reset.ts"),
    ),
    emptyTask(["identity", "signers"], "The registry's allowlist: whose verifications count").build(),
    identityTask(
      "signers list",
      "List the signers on a registry's allowlist, since when, and who may change it",
      [
        ...ofRegistry,
        {
          name: "fromBlock",
          description: "Block down to which it is looked since when (default: as far as 500 questions reach)",
        },
        port,
      ],
      () => import("./actions/signers.list.ts"),
    ),
    identityTask(
      "signers add",
      "Put a signer on a registry's allowlist, as its owner",
      [...changeOfSigner, { name: "yes", description: "Ask nothing before it is sent", flag: true }, port],
      () => import("./actions/signers.add.ts"),
    ),
    identityTask(
      "signers remove",
      "Take a signer off a registry's allowlist, as its owner: all that it signed is void at once",
      [
        ...changeOfSigner,
        {
          name: "yes",
          description: "Ask nothing before it is sent, also where nobody is left who signs",
          flag: true,
        },
        port,
      ],
      () => import("./actions/signers.remove.ts"),
    ),
    identityTask(
      "mint",
      "Mint a test verification for a consumer, a wallet and a named identity",
      [
        consumer,
        user,
        { name: "identity", description: "Any name; the same name is the same person" },
        {
          name: "traits",
          description:
            "Judge such an account by the policy, '{\"followers\":1200}' (default: conditions do not count)",
        },
        registry,
        { name: "expiration", description: "Unix seconds (default: 300 s after the chain's time)" },
        {
          name: "key",
          description: "Configuration variable with the signing key (default: the development key)",
        },
        port,
      ],
      () => import("./actions/mint.ts"),
    ),
    identityTask(
      "check",
      "Ask the registry about a verification, without a transaction",
      [
        consumer,
        user,
        { name: "identityHash", description: "The verification's identity hash, 32 bytes hex" },
        { name: "expiration", description: "The verification's expiration, unix seconds" },
        { name: "signature", description: "The verification's signature, hex" },
        registry,
        port,
      ],
      () => import("./actions/check.ts"),
    ),
    identityTask(
      "policy",
      "Check every consumer of the project; with --consumer, show a deployed one's policy and what is wrong with it",
      [
        { name: "consumer", description: "Address of a deployed one (default: all of the project's source)" },
        { name: "strict", description: "Fail for warnings, too", flag: true },
        port,
      ],
      () => import("./actions/policy.ts"),
    ),
    identityTask(
      "send-calls",
      "Have the wallet send a batch of calls (wallet_sendCalls), and show what becomes of it",
      [
        { name: "file", description: "JSON file with an array of calls, or with members of the request" },
        { name: "from", description: "Index or address of the sending account (default: 0)" },
        { name: "to", description: "Recipient of a single call" },
        { name: "value", description: "Its amount in wei, decimal or hex (default: 0)" },
        { name: "data", description: "Its call data, hex" },
        { name: "gasLimit", description: "Its gas limit, decimal or hex" },
        { name: "id", description: "The batch's id, hex (default: the wallet chooses)" },
        { name: "atomic", description: "Whether it must be all or nothing, true or false (default: true)" },
        { name: "timeout", description: "Seconds to wait while it is pending (default: 60)" },
        port,
      ],
      () => import("./actions/sendCalls.ts"),
    ),
    identityTask(
      "storage",
      "Read a storage slot, or whether an identity has been used at a consumer",
      [
        { name: "address", description: "The contract whose slot is read" },
        { name: "position", description: "The slot, a hex integer" },
        consumer,
        { name: "identityUsed", description: "The identity hash that --consumer may have marked as used" },
        {
          name: "mappingSlot",
          description: "Slot of the consumer's mapping of identities (default: that of VerifyOnce)",
        },
        {
          name: "block",
          description: "Hex number, or latest, pending, safe, finalized, earliest (default: latest)",
        },
        port,
      ],
      () => import("./actions/storage.ts"),
    ),
  ],
});
