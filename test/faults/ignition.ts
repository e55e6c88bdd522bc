import type { Fault } from "./fault.ts";

export const faults: readonly Fault[] = [
  {
    what: "a stolen owner's key adds a signer at once",
    file: "ignition/modules/GuardedRegistry.ts",
    from: "[adder, owner, dayInSeconds]",
    to: "[adder, owner, 0]",
    tests: [
      "test/ignition/deploy.test.ts: deploys a registry whose guardians only remove signers and cancel additions, and whose owner waits a day to add",
    ],
  },
  {
    what: "the deployer of a guarded registry keeps its administration",
    file: "ignition/modules/GuardedRegistry.ts",
    from: '"renounceRole", [admin, deployer]',
    to: '"revokeRole", [adder, deployer]',
    tests: [
      "test/ignition/deploy.test.ts: deploys a registry whose guardians only remove signers and cancel additions, and whose owner waits a day to add",
    ],
  },
  // The promises of SECURITY.md.
  {
    what: "development addresses own and sign on a public chain",
    file: "ignition/checkParameters.ts",
    from: "if (shared === undefined || (await node.isLocal())) return;",
    to: "if (shared === undefined || !(await node.isLocal())) return;",
    tests: [
      "test/ignition/refusals.test.ts: sends no transaction when a development address would own or sign on a public chain",
    ],
  },
  {
    what: "a development address may be among the signers",
    file: "ignition/checkParameters.ts",
    from: `kind === "trusted" || kind === "trusted list" ||`,
    to: `kind === "trusted" ||`,
    tests: ["test/ignition/checkParameters.test.ts"],
  },
  {
    what: "the template's placeholders are deployed with the examples",
    file: "ignition/checkParameters.ts",
    from: "[module, ...[...module.submodules].flatMap(collectModules)]",
    to: "[module]",
    tests: ["test/ignition/refusals.test.ts: sends no transaction when the template's placeholders are left"],
  },
  {
    what: "the registry's address depends on who deploys it",
    file: "ignition/modules/SignerRegistry.ts",
    from: "[owner, signers])",
    to: "[m.getAccount(0), signers])",
    tests: [
      "test/ignition/create2.test.ts: gives the registry one address on every chain, from any deployer",
    ],
  },
  {
    what: "a missing registry is left to Ignition, which names neither the module nor what to do",
    file: "ignition/checkParameters.ts",
    from: "  demandRegistryParameter(modules, parameters);\n",
    to: "",
    tests: ["test/docs/mistakes.test.ts"],
  },

  // Faults that no test noticed once.
  {
    what: "a local node's deployment counts as done on the next run of the node",
    file: "tasks/internal/deployment/journal.ts",
    from: "instance.slice(2, 10)",
    to: '""',
    tests: ["test/ignition/journal.test.ts"],
  },
  {
    what: "a guarded registry gets the deploying account as its owner, which gives up its role",
    file: "ignition/checkParameters.ts",
    from: '      if (kind === "guarded owner") await refuseDeployer(label, addresses, node);\n',
    to: "",
    tests: [
      "test/ignition/refusals.test.ts: sends no transaction when a guarded registry's owner is the deploying account",
    ],
  },
  {
    what: "the deployment of a guarded registry cannot be resumed",
    file: "ignition/artifacts.ts",
    from: '{ ...artifact, _format: "hh3-artifact-1" }',
    to: "artifact",
    tests: [
      "test/ignition/deploy.test.ts: gives a guarded registry's roles in one transaction, also after it was killed before, and to one account for all",
    ],
  },
  {
    what: "a contract that identity verify leaves out is not named",
    file: "packages/registry/internal/verifyDeployment.ts",
    from: "others.push(",
    to: "void (",
    tests: ["test/ignition/verify.test.ts"],
  },
];
