// The Hardhat plugin: its tasks are listed here, each with its action in actions/.
import { overrideTask, task } from "hardhat/config";
import { definePlugin } from "hardhat/plugins";
import { ArgumentType } from "hardhat/types/arguments";
import type { LazyActionObject, NewTaskActionFunction } from "hardhat/types/tasks";
import { checkHardhatVersion } from "./internal/hardhatVersion.ts";
import { type Arguments, type Option, options, type TaskName } from "./options.ts";
import "./type-extensions.ts";

checkHardhatVersion();

/** The list of subtasks is sorted by the alphabet. */
const purposes = `Start: init, dev
Test:  mint, check, request, attack, policy, storage, send-calls
Run:   credential, signers, verify`;

const descriptions: Readonly<Record<TaskName, string>> = {
  dev: "Run the whole stack: chain, registry, examples, service, verify page, demo",
  init: "Add a consumer, its test, its module and a CI workflow to this project",
  request: "Request a verification as an app does; with --submit, call the consumer",
  "credential set": "Store a wallet's credential, replacing its previous one at this provider",
  "credential list": "List the credentials; account ids are not stored",
  "credential delete": "Delete a wallet's credential",
  "signers list": "List a registry's signers, when each was added, the owner, and what is scheduled",
  "signers add": "As the owner, add a signer to the allowlist; with guardians, schedule it first",
  "signers remove": "As the owner or a guardian, remove a signer at once, or cancel its addition",
  "signers guard": "Give a registry guardians, step by step: an AccessManager becomes its owner",
  verify: "Verify the package's deployed contracts at Sourcify and Etherscan",
  mint: "Mint a test verification for a consumer, a wallet and a named identity",
  check: "Check a verification against the registry, without a transaction",
  policy: "Check the project's consumers, or with --consumer a deployed one",
  attack: "Try every known misuse on the project's consumers, or on a deployed one on a local node or a fork",
  "send-calls": "Send a batch of calls by wallet_sendCalls, and show its status",
  storage: "Read a storage slot, or whether an identity has been used at a consumer",
};

const actions: { readonly [Task in TaskName]: LazyActionObject<NewTaskActionFunction<Arguments<Task>>> } = {
  dev: inPackage("@hardhat-identity/dev/actions/dev"),
  init: () => import("./actions/init.ts"),
  request: () => import("./actions/request.ts"),
  "credential set": inPackage("@hardhat-identity/dev/actions/credential.set"),
  "credential list": inPackage("@hardhat-identity/dev/actions/credential.list"),
  "credential delete": inPackage("@hardhat-identity/dev/actions/credential.delete"),
  "signers list": inPackage("@hardhat-identity/registry/actions/signers.list"),
  "signers add": inPackage("@hardhat-identity/registry/actions/signers.add"),
  "signers remove": inPackage("@hardhat-identity/registry/actions/signers.remove"),
  "signers guard": inPackage("@hardhat-identity/registry/actions/signers.guard"),
  verify: inPackage("@hardhat-identity/registry/actions/verify"),
  mint: () => import("./actions/mint.ts"),
  check: () => import("./actions/check.ts"),
  policy: () => import("./actions/policy.ts"),
  attack: inPackage("@hardhat-identity/attack/actions/attack"),
  "send-calls": () => import("./actions/sendCalls.ts"),
  storage: () => import("./actions/storage.ts"),
};

/** The action of a task that another package has. Without the package, the task says what to install. */
function inPackage<Task extends TaskName>(
  module: string,
): LazyActionObject<NewTaskActionFunction<Arguments<Task>>> {
  return async () => {
    const { loadPackage } = await import("./internal/loadPackage.ts");
    try {
      return await loadPackage(module);
    } catch (error) {
      const { orError } = await import("./internal/console/report.ts");
      return { default: orError<Task>(() => Promise.reject(error)) };
    }
  };
}

/**
 * Defines a task that only has subtasks, and lists them. Hardhat's own kind of such a task does not say which one a mistyped
 * word was meant to be.
 */
function groupTask(id: string[], description: string, more = "") {
  return task(id, description)
    .addVariadicArgument({
      name: "subtask",
      description: "One of the subtasks below",
      type: ArgumentType.STRING,
      defaultValue: [],
    })
    .setAction(async () => {
      const { runGroup } = await import("./internal/console/runGroup.ts");
      const about = [`${description}.`, more].join("\n\n").trim();
      return { default: ({ subtask }, hre) => runGroup(id, about, subtask, hre) };
    })
    .build();
}

/** Defines a task with its {@link options} and `--json`. */
function identityTask(name: TaskName) {
  const builder = task(["identity", ...name.split(" ")], descriptions[name]).addFlag({
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
  return builder.setAction(actions[name] as LazyActionObject<NewTaskActionFunction>).build();
}

export default definePlugin({
  id: "hardhat-identity",
  npmPackage: "hardhat-identity",
  hookHandlers: {
    config: () => import("./hooks/config.ts"),
    hre: () => import("./hooks/hre.ts"),
    network: () => import("./hooks/network.ts"),
  },
  dependencies: () => [
    import("@nomicfoundation/hardhat-ignition"),
    import("@hardhat-identity/wallet/plugin"),
  ],
  tasks: [
    overrideTask(["ignition", "deploy"])
      .setAction(() => import("./actions/ignition.deploy.ts"))
      .build(),
    groupTask(["identity"], "Build, test and run contracts that admit each person once", purposes),
    groupTask(["identity", "credential"], "Manage the credentials of the running `identity dev`"),
    groupTask(["identity", "signers"], "Manage the registry's allowlist of signers"),
    ...(Object.keys(descriptions) as TaskName[]).map(identityTask),
  ],
});
