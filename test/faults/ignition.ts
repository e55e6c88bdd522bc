import type { Fault } from "./fault.ts";

export const faults: readonly Fault[] = [
  // What SECURITY.md promises.
  {
    what: "development addresses own and sign on a public chain",
    file: "ignition/checkParameters.ts",
    from: "if (shared === undefined || (await node.isLocal())) return;",
    to: "if (shared === undefined || !(await node.isLocal())) return;",
    tests: ["test/ignition/refusals.test.ts: when a development address would own or sign on a public chain"],
  },
  {
    what: "a development address may be among the signers",
    file: "ignition/checkParameters.ts",
    from: `if (kind === "trusted" || kind === "trusted list") {`,
    to: `if (kind === "trusted") {`,
    tests: ["test/ignition/checkParameters.test.ts"],
  },
  {
    what: "the template's placeholders are deployed with the examples",
    file: "ignition/checkParameters.ts",
    from: "[module, ...[...module.submodules].flatMap(collectModules)]",
    to: "[module]",
    tests: ["test/ignition/refusals.test.ts: when the template's placeholders are left"],
  },
  {
    what: "the registry's address depends on who deploys it",
    file: "ignition/modules/SignerRegistry.ts",
    from: "[owner, signers])",
    to: "[m.getAccount(0), signers])",
    tests: ["test/ignition/create2.test.ts: gives one address on every chain, whoever deploys"],
  },
  {
    what: "a module that gives its consumer a registry by default is refused",
    file: "ignition/checkParameters.ts",
    from: "parameters.$global?.registry ?? defaultValue)",
    to: "parameters.$global?.registry)",
    tests: ["test/ignition/checkParameters.test.ts"],
  },
  {
    what: "a missing registry is left to Ignition, which names neither the module nor what to do",
    file: "ignition/checkParameters.ts",
    from: "  demandRegistryParameter(modules, parameters);\n",
    to: "",
    tests: ["test/docs/mistakes.test.ts"],
  },

  // What no test noticed.
  {
    what: "a public chain's journal is refused because its node has forgotten old transactions",
    file: "tasks/internal/deployment/journal.ts",
    from: "  if (!(await isLocalNode(node))) return undefined;\n",
    to: "",
    tests: ["test/ignition/journal.test.ts"],
  },
  {
    what: "a local node's journal is thrown away for a transaction that was replaced",
    file: "tasks/internal/deployment/journal.ts",
    from: "    if (status === TransactionStatus.DROPPED) continue;\n",
    to: "",
    tests: ["test/ignition/journal.test.ts"],
  },
];
