// The Hardhat plugin: its tasks are listed here, each with its action in actions/. Tasks call other rooms' public files; a
// store that is not the running stack's belongs to identity-signer.
import { emptyTask, overrideTask, task } from "hardhat/config";
import { definePlugin } from "hardhat/plugins";
import { ArgumentType } from "hardhat/types/arguments";
import type { LazyActionObject, NewTaskActionFunction } from "hardhat/types/tasks";
import { checkHardhatVersion } from "./internal/hardhatVersion.ts";
import { type Arguments, type Option, options, type TaskName } from "./options.ts";
import "./type-extensions.ts";

checkHardhatVersion();

/** Hardhat's help lists subtasks by the alphabet. */
const purposes = `Build, test and run contracts that admit each person once

Start: init, dev
Test:  mint, check, request, attack, policy, storage, send-calls
Run:   credential, signers, verify`;

/** Defines a task with its {@link options} and `--json`. */
function identityTask<Task extends TaskName>(
  name: Task,
  about: string,
  action: LazyActionObject<NewTaskActionFunction<Arguments<Task>>>,
) {
  const builder = task(["identity", ...name.split(" ")], about).addFlag({
    name: "json",
    description: "Print one line of JSON",
  });
  const type = ArgumentType.STRING_WITHOUT_DEFAULT;
  const ofTask: Readonly<Record<string, Option>> = options[name];
  for (const [option, what] of Object.entries(ofTask)) {
    if (typeof what === "string") {
      builder.addOption({ name: option, description: what, type, defaultValue: undefined });
    } else if ("flag" in what) builder.addFlag({ name: option, description: what.flag });
    else {
      const description = what.positional;
      builder.addPositionalArgument({ name: option, description, type, defaultValue: undefined });
    }
  }
  // The builder knows no options that are added in a loop.
  return builder.setAction(action as LazyActionObject<NewTaskActionFunction>).build();
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
      () => import("./actions/dev.ts"),
    ),
    identityTask(
      "init",
      "Add a consumer, its test, its module and a CI workflow to this project",
      () => import("./actions/init.ts"),
    ),
    identityTask(
      "request",
      "Request a verification as an app does; with --submit, call the consumer",
      () => import("./actions/request.ts"),
    ),
    emptyTask(["identity", "credential"], "Manage the credentials of the running `identity dev`").build(),
    identityTask(
      "credential set",
      "Store a wallet's credential, replacing its previous one at this provider",
      () => import("./actions/credential.set.ts"),
    ),
    identityTask(
      "credential list",
      "List the credentials; account ids are not stored",
      () => import("./actions/credential.list.ts"),
    ),
    identityTask(
      "credential delete",
      "Delete a wallet's credential",
      () => import("./actions/credential.delete.ts"),
    ),
    emptyTask(["identity", "signers"], "Manage the registry's allowlist of signers").build(),
    identityTask(
      "signers list",
      "List a registry's signers, when each was added, the owner, and what is scheduled",
      () => import("./actions/signers.list.ts"),
    ),
    identityTask(
      "signers add",
      "Add a signer to a registry's allowlist, as its owner; schedule it first where its AccessManager wants that",
      () => import("./actions/signers.add.ts"),
    ),
    identityTask(
      "signers remove",
      "As the owner or a guardian, remove a signer at once, or cancel its addition",
      () => import("./actions/signers.remove.ts"),
    ),
    identityTask(
      "signers guard",
      "Have guardians protect a registry, through an AccessManager as its owner, step by step",
      () => import("./actions/signers.guard.ts"),
    ),
    identityTask(
      "verify",
      "Verify the sources of our contracts at Sourcify and Etherscan",
      () => import("./actions/verify.ts"),
    ),
    identityTask(
      "mint",
      "Mint a test verification for a consumer, a wallet and a named identity",
      () => import("./actions/mint.ts"),
    ),
    identityTask(
      "check",
      "Check a verification against the registry, without a transaction",
      () => import("./actions/check.ts"),
    ),
    identityTask(
      "policy",
      "Check the project's consumers, or with --consumer a deployed one",
      () => import("./actions/policy.ts"),
    ),
    identityTask(
      "attack",
      "Rehearse every known misuse against consumers of the project, or a deployed one on a local node or a fork",
      () => import("./actions/attack.ts"),
    ),
    identityTask(
      "send-calls",
      "Send a batch of calls by wallet_sendCalls, and show its status",
      () => import("./actions/sendCalls.ts"),
    ),
    identityTask(
      "storage",
      "Read a storage slot, or whether an identity has been used at a consumer",
      () => import("./actions/storage.ts"),
    ),
  ],
});
