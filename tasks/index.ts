// The Hardhat plugin: its tasks are listed here, each with its action in actions/. Tasks call other rooms' public files; a
// store that is not the running stack's belongs to identity-signer.
import { emptyTask, overrideTask, task } from "hardhat/config";
import { definePlugin } from "hardhat/plugins";
import { ArgumentType } from "hardhat/types/arguments";
import type { LazyActionObject, NewTaskActionFunction } from "hardhat/types/tasks";
import { checkHardhatVersion } from "./internal/hardhatVersion.ts";
import "./type-extensions.ts";

checkHardhatVersion();

/** The options of a task: name → description. */
type Options = Readonly<Record<string, string | Flag>>;

/** An option without a value. */
interface Flag {
  readonly flag: string;
}
const flag = (description: string): Flag => ({ flag: description });

const consumer = { consumer: "Address of the consumer, or its name on the running `identity dev`" };
const registry = { registry: "Address of the registry (default: the consumer's)" };
const provider = { provider: "Provider of the account, such as microblog" };
const user = { user: "Address of the wallet that may use the verification" };
const port = { port: "Port of the running `identity dev`, if several run" };
/** The options of all `identity signers` tasks. */
const ofRegistry = {
  registry: "Address of the registry (default: that of the running `identity dev`)",
  consumer: "Consumer whose registry to use, without --registry: address or name",
  service: "URL of the service that has the signer (default: that of the running `identity dev`)",
};
const changeOfSigner = {
  signer: "Address of the signer",
  ...ofRegistry,
  dryRun: flag("Print the simulated transaction without sending it"),
  batch: "File to write for Safe's Transaction Builder, instead of sending",
};

/** Hardhat's help lists subtasks by the alphabet. */
const purposes = `Build, test and run contracts that admit each person once

Start: init, dev
Test:  mint, check, request, policy, storage, send-calls
Run:   credential, signers, verify`;

/** Defines a task with optional string options, flags, and `--json`. */
function identityTask(
  name: string,
  about: string,
  options: Options,
  action: LazyActionObject<NewTaskActionFunction>,
  /** An argument without a name of its own, which may be left out. */
  positional?: { readonly name: string; readonly description: string },
) {
  const builder = task(["identity", ...name.split(" ")], about).addFlag({
    name: "json",
    description: "Print one line of JSON",
  });
  const type = ArgumentType.STRING_WITHOUT_DEFAULT;
  for (const [option, what] of Object.entries(options)) {
    if (typeof what === "string")
      builder.addOption({ name: option, description: what, type, defaultValue: undefined });
    else builder.addFlag({ name: option, description: what.flag });
  }
  if (positional !== undefined) {
    builder.addPositionalArgument({ ...positional, type, defaultValue: undefined });
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
    emptyTask("identity", purposes).build(),
    identityTask(
      "dev",
      "Run the whole stack: chain, registry, examples, service, verify page, demo",
      {
        rpcPort: "Port of the chain's JSON-RPC, 0 for any free one (default: 8545)",
        port: "Port of the signer service, 0 for any free one (default: 3000)",
        demoPort: "Port of the demo, 0 for any free one (default: 4000 if free, else any)",
        deploy: "Ignition modules to deploy, and to redeploy on every change, separated by commas",
        store: "File of the credential store (default: one that is deleted on exit)",
        blockTime: "Seconds between blocks (default: one block per transaction)",
        refuseMissingValue: flag(
          "Refuse calls without a value in wallet_sendCalls, as the specification does",
        ),
        readyFile: "JSON file with the addresses and the process id, while everything runs",
        open: flag("Open the demo in the browser"),
      },
      () => import("./actions/dev.ts"),
    ),
    identityTask(
      "init",
      "Add a consumer, its test, its module and a CI workflow to this project",
      {
        kind: "Kind of consumer: claim, mint, deposit or vote (default: claim)",
        name: "Name of the contract (default: Airdrop, Pass, Vault or Poll)",
        pace: "Most people to admit per minute, hour, day or week, such as 100/hour (default: any number)",
        overwrite: flag("Replace existing files without asking"),
        install: flag("Install the packages that the files import"),
      },
      () => import("./actions/init.ts"),
    ),
    identityTask(
      "request",
      "Request a verification as an app does; with --submit, call the consumer",
      {
        ...consumer,
        account: "Wallet to sign in with: index or address of an account of the node",
        submit: "Entry point to call, such as claim, or its full signature",
        args: "The entry point's other arguments, as a JSON object by name",
        value: "Wei to send along, decimal or hex (default: 0)",
        service: "URL of the signer service (default: that of `identity dev`)",
        ...port,
      },
      () => import("./actions/request.ts"),
    ),
    emptyTask(["identity", "credential"], "Manage the credentials of the running `identity dev`").build(),
    identityTask(
      "credential set",
      "Store a wallet's credential, replacing its previous one at this provider",
      {
        wallet: "Address of the wallet, or of several of one person, separated by commas",
        ...provider,
        from: `JSON file with {"accountId","traits","authenticatedAt"}, or - for standard input`,
        accountId: "Without --from: the account's id at the provider",
        traits: `Without --from: the account's traits, such as '{"followers":1200}'`,
        authenticatedAt: "Unix seconds of the last authentication (default: now)",
        ...port,
      },
      () => import("./actions/credential.set.ts"),
    ),
    identityTask(
      "credential list",
      "List the credentials; account ids are not stored",
      {
        wallet: "Only credentials of this wallet",
        provider: "Only credentials of this provider, such as microblog",
        limit: "Maximum number of credentials (default: all)",
        ...port,
      },
      () => import("./actions/credential.list.ts"),
    ),
    identityTask(
      "credential delete",
      "Delete a wallet's credential",
      { wallet: "Address of the wallet", ...provider, ...port },
      () => import("./actions/credential.delete.ts"),
    ),
    emptyTask(["identity", "signers"], "Manage the registry's allowlist of signers").build(),
    identityTask(
      "signers list",
      "List a registry's signers, when each was added, the owner, and what is scheduled",
      {
        ...ofRegistry,
        fromBlock: "Earliest block to search (default: what 500 requests cover)",
        ...port,
      },
      () => import("./actions/signers.list.ts"),
    ),
    identityTask(
      "signers add",
      "Add a signer to a registry's allowlist, as its owner; schedule it first where its AccessManager wants that",
      {
        ...changeOfSigner,
        yes: flag("Send without asking for confirmation"),
        ...port,
      },
      () => import("./actions/signers.add.ts"),
    ),
    identityTask(
      "signers remove",
      "As the owner or a guardian, remove a signer at once, or cancel its addition",
      {
        ...changeOfSigner,
        yes: flag("Send without asking for confirmation, even if no working signer remains"),
        ...port,
      },
      () => import("./actions/signers.remove.ts"),
    ),
    identityTask(
      "signers guard",
      "Have guardians protect a registry, through an AccessManager as its owner, step by step",
      {
        admin: "Address that administers the AccessManager, such as a multisig",
        guardians: "Addresses that may remove signers at once, separated by commas",
        manager: "Address of the AccessManager, once it is deployed",
        ...ofRegistry,
        dryRun: flag("Print the steps without sending the next one"),
        batch: "File to write for Safe's Transaction Builder, if the owner is a Safe",
        yes: flag("Send without asking for confirmation"),
        ...port,
      },
      () => import("./actions/signers.guard.ts"),
    ),
    identityTask(
      "verify",
      "Verify the sources of our contracts at Sourcify and Etherscan",
      { deploymentId: "Name of Ignition's deployment (default: chain- and the chain's id)" },
      () => import("./actions/verify.ts"),
    ),
    identityTask(
      "mint",
      "Mint a test verification for a consumer, a wallet and a named identity",
      {
        ...consumer,
        ...user,
        identity: "Any name; the same name is the same identity",
        traits: "Traits to check against the policy, such as '{\"followers\":1200}' (default: unchecked)",
        ...registry,
        expiration: "Unix seconds (default: 300 s after the chain's time)",
        key: "Configuration variable with the signing key (default: the development key)",
        ...port,
      },
      () => import("./actions/mint.ts"),
    ),
    identityTask(
      "check",
      "Check a verification against the registry, without a transaction",
      {
        ...consumer,
        ...user,
        identityHash: "The verification's identity hash, 32 bytes hex",
        expiration: "The verification's expiration, unix seconds",
        signature: "The verification's signature, hex",
        ...registry,
        ...port,
      },
      () => import("./actions/check.ts"),
    ),
    identityTask(
      "policy",
      "Check the project's consumers, or with --consumer a deployed one",
      {
        consumer:
          "Address of a deployed consumer, or its name on the stack (default: all in the project's source)",
        strict: flag("Fail on warnings, too"),
        ...port,
      },
      () => import("./actions/policy.ts"),
    ),
    identityTask(
      "attack",
      "Rehearse every known misuse against consumers of the project, or a deployed one on a local node or a fork",
      {
        consumer: "Address of a deployed consumer, or its name on the stack (default: deploy the contract)",
        args: "Arguments instead of invented ones: a JSON array for the constructor, or an object by parameter name",
        abi: "JSON file with the ABI of the --consumer (default: that of the project's contract with its code)",
        write: flag("Write a test for each contract with a fault, which fails until the fault is repaired"),
        sarif: "File to write for code scanning, in SARIF",
        ...port,
      },
      () => import("./actions/attack.ts"),
      { name: "contract", description: "Name of the contract (default: all consumers of the project)" },
    ),
    identityTask(
      "send-calls",
      "Send a batch of calls by wallet_sendCalls, and show its status",
      {
        file: "JSON file with an array of calls, or with fields of the request",
        from: "Index or address of the sending account (default: 0)",
        to: "Recipient of a single call",
        value: "Wei to send with a single call, decimal or hex (default: 0)",
        data: "Call data of a single call, hex",
        gasLimit: "Gas limit of a single call, decimal or hex",
        id: "Id of the batch, hex (default: chosen by the wallet)",
        atomic: "Whether all calls must succeed or none, true or false (default: true)",
        timeout: "Seconds to wait while the batch is pending, before it exits with 1 (default: 60)",
        ...port,
      },
      () => import("./actions/sendCalls.ts"),
    ),
    identityTask(
      "storage",
      "Read a storage slot, or whether an identity has been used at a consumer",
      {
        address: "Address of the contract to read",
        position: "Storage slot, a hex integer",
        ...consumer,
        identityUsed: "Identity hash to look up in the --consumer contract",
        round: "Round of the identity, a whole number or 32 bytes hex (default: 0, the consumer itself)",
        mappingSlot: "Slot of the consumer's mapping of identities (default: that of VerifyOnce)",
        block: "Block: hex number, or latest, pending, safe, finalized, earliest (default: latest)",
        ...port,
      },
      () => import("./actions/storage.ts"),
    ),
  ],
});
