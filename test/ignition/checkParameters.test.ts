import { readdirSync, readFileSync } from "node:fs";
import {
  buildModule,
  type DeploymentParameters,
  type IgnitionModule,
  isFuture,
  isModuleParameterRuntimeValue,
} from "@nomicfoundation/ignition-core";
import { expect } from "chai";
import { network } from "hardhat";
import { checkParameters, type DeploymentNode } from "../../ignition/checkParameters.ts";
import Ballot from "../../ignition/modules/Ballot.ts";
import Examples from "../../ignition/modules/Examples.ts";
import GuardedRegistry from "../../ignition/modules/GuardedRegistry.ts";
import IncentiveProgram from "../../ignition/modules/IncentiveProgram.ts";
import MembershipPass from "../../ignition/modules/MembershipPass.ts";
import SignerRegistry from "../../ignition/modules/SignerRegistry.ts";
import VerifiedVault from "../../ignition/modules/VerifiedVault.ts";
import { development } from "../../packages/protocol/development.ts";
import { InvalidInputError } from "../../packages/protocol/errors.ts";
import { rejection } from "../fixtures/rejection.ts";

const owner = "0x52908400098527886E0F7030069857D2E4169EE7";
const one = "0x8617E340B3D01FA5F11F306F4090FD50E238070D";
const other = "0xde709f2102306220921060314715629080e2fb77";

describe("checkParameters", () => {
  const node = (isLocal: boolean): DeploymentNode => ({
    isLocal: async () => isLocal,
    readDeployer: async () => undefined,
    findRegistryProblem: async (address) =>
      address === one ? undefined : `The contract ${address} is not a SignerRegistry.`,
  });
  const live = node(false);
  const local = node(true);

  async function refusal(
    parameters: DeploymentParameters,
    module: IgnitionModule = SignerRegistry,
    asked = live,
  ) {
    const error = await rejection(checkParameters(module, parameters, asked));
    expect(error).to.be.instanceOf(InvalidInputError);
    return error.message;
  }

  /** The outcome of a deployment to a live chain: accepted, or the reason against it. */
  const outcome = (module: IgnitionModule, parameters: DeploymentParameters) =>
    checkParameters(module, parameters, live).then(
      () => "accepted",
      (error: Error) => error.message,
    );

  const registry = (changed: object) => ({ SignerRegistry: { owner, signers: [one], ...changed } });

  it("accepts a module's addresses in any right casing, and no signers at all", async () => {
    const right: [IgnitionModule, DeploymentParameters][] = [
      [SignerRegistry, registry({ signers: [one, other] })],
      [SignerRegistry, registry({ owner: owner.toLowerCase(), signers: [] })],
      [IncentiveProgram, { IncentiveProgram: { registry: one } }],
      [VerifiedVault, { VerifiedVault: { registry: one, token: other } }],
    ];
    for (const [module, parameters] of right) expect(await outcome(module, parameters)).to.equal("accepted");
  });

  it("checks every parameter of every module of this package", async () => {
    /** The parameters that a module's calls take, also within other values: module id and name. */
    const parametersIn = (value: unknown): string[] => {
      if (isModuleParameterRuntimeValue(value)) return [`${value.moduleId}.${value.name}`];
      if (Array.isArray(value)) return value.flatMap(parametersIn);
      if (typeof value !== "object" || value === null) return [];
      if (isFuture(value)) {
        return ["constructorArgs", "args"].flatMap((member) => parametersIn(Reflect.get(value, member)));
      }
      return Object.values(value).flatMap(parametersIn);
    };
    const files = readdirSync(new URL("../../ignition/modules", import.meta.url));
    const checked: string[] = [];
    for (const file of files) {
      const { default: module }: { default: IgnitionModule } = await import(`../../ignition/modules/${file}`);
      for (const parameter of new Set([...module.futures].flatMap(parametersIn))) {
        const [id = "", name = ""] = parameter.split(".");
        const parameters = { $global: { registry: one }, [id]: { [name]: 1 } };
        expect(await refusal(parameters, module)).to.include(`${parameter} must be `);
        checked.push(parameter);
      }
    }
    expect(checked).to.include.members([
      "GuardedRegistry.guardian2",
      "VerifiedVault.token",
      "Ballot.registry",
    ]);
  });

  it("leaves a module's missing parameter to Ignition, and those of other modules to their owners", async () => {
    expect(await outcome(SignerRegistry, {})).to.equal("accepted");
    const others = { Other: { owner: "nobody" }, IncentiveProgram: { registry: 1 } };
    expect(await outcome(SignerRegistry, others)).to.equal("accepted");
  });

  it("names the module whose constructor misses its registry, also of a project's own, and says how to give it", async () => {
    const own = buildModule("Airdrop", (m) => ({
      airdrop: m.contract("Airdrop", [m.getParameter<string>("registry"), m.getParameter("points", 1)]),
    }));
    const nested = buildModule("Season", (m) => m.useModule(own));
    for (const module of [own, nested]) {
      expect(await outcome(module, { Airdrop: { points: 7n }, Season: { registry: one } })).to.equal(
        "Airdrop.registry is missing: the address of the registry. Add it: --parameters " +
          `'{"Airdrop":{"registry":"0x…"}}'.`,
      );
      expect(await outcome(module, { Airdrop: { registry: one } })).to.equal("accepted");
      expect(await outcome(module, { $global: { registry: one } })).to.equal("accepted");
    }
    const optional = buildModule("Airdrop", (m) => ({
      airdrop: m.contract("Airdrop", [m.getParameter<string>("registry", one)]),
    }));
    expect(await outcome(optional, {})).to.equal("accepted");
    expect(await outcome(IncentiveProgram, {})).to.match(/^IncentiveProgram.registry is missing/);
  });

  const lower = owner.replace("E7", "e7");
  const zero = `0x${"0".repeat(40)}`;
  const noAddress = "must be an address (0x and 40 hex digits), got";
  const wrong: readonly [about: string, changed: object, message: string][] = [
    ["an owner that is no address", { owner: "0x1234" }, `owner ${noAddress} "0x1234".`],
    ["an owner that is no text", { owner: 7n }, `owner ${noAddress} 7n.`],
    [
      "a wrong checksum",
      { owner: lower },
      `owner has a wrong EIP-55 checksum: ${lower}. Copy the address again.`,
    ],
    ["the zero address as owner", { owner: zero }, "owner must not be the zero address."],
    ["signers that are no array", { signers: one }, `signers must be an array of addresses, got "${one}".`],
    ["a signer that is no address", { signers: [one, null] }, `signers[1] ${noAddress} null.`],
    ["the zero address as a signer", { signers: [zero] }, "signers[0] must not be the zero address."],
    [
      "a signer that comes twice",
      { signers: [one, other, one.toLowerCase()] },
      `signers names ${one} twice.`,
    ],
  ];
  for (const [about, changed, message] of wrong) {
    it(`refuses ${about}`, async () => {
      expect(await refusal(registry(changed), SignerRegistry, local)).to.equal(`SignerRegistry.${message}`);
    });
  }

  it("refuses a parameter for a registry or token that is no address", async () => {
    expect(await refusal({ IncentiveProgram: { registry: "" } }, IncentiveProgram)).to.match(
      /^IncentiveProgram\.registry /,
    );
    expect(await refusal({ VerifiedVault: { registry: one, token: "DAI" } }, VerifiedVault)).to.match(
      /^VerifiedVault\.token /,
    );
  });

  it("refuses a registry that the node knows for another contract, whichever module is given it", async () => {
    const message = `must be a registry. The contract ${owner} is not a SignerRegistry.`;
    for (const module of [IncentiveProgram, MembershipPass, VerifiedVault, Ballot]) {
      const { id } = module;
      expect(await refusal({ [id]: { registry: owner, token: other } }, module)).to.equal(
        `${id}.registry ${message}`,
      );
      expect(await refusal({ $global: { registry: owner } }, module, local)).to.equal(
        `${id}.registry ${message}`,
      );
    }
  });

  it("refuses every placeholder of the template", async () => {
    const template = JSON.parse(
      readFileSync(new URL("../../ignition/parameters/base-sepolia.json", import.meta.url), "utf8"),
    );
    for (const [id, parameters] of Object.entries<Record<string, string | string[]>>(template)) {
      const module = (await import(`../../ignition/modules/${id}.ts`)).default;
      for (const [name, value] of Object.entries(parameters)) {
        expect(await refusal({ [id]: { [name]: value } }, module, local)).to.match(
          new RegExp(`^${id}\\.${name}.* must be an address .*, got "<`),
        );
      }
    }
  });

  it("checks the parameters of modules that a module uses, and those for all modules", async () => {
    const message = 'SignerRegistry.owner must be an address (0x and 40 hex digits), got "nobody".';
    expect(await refusal({ SignerRegistry: { owner: "nobody" } }, Examples)).to.equal(message);
    expect(await refusal({ $global: { owner: "nobody" } }, Examples)).to.equal(message);
    // The module's own come before those for all, as Ignition has it.
    expect(await refusal({ ...registry({ owner: "nobody" }), $global: { owner } })).to.equal(message);
    expect(await outcome(SignerRegistry, { ...registry({}), $global: { owner: "nobody" } })).to.equal(
      "accepted",
    );
    const nested = buildModule("App", (m) => ({ registry: m.useModule(Examples).registry }));
    expect(await refusal({ SignerRegistry: { owner: "nobody" } }, nested)).to.equal(message);
  });

  it("refuses development addresses as owner and signers, but not on a local node", async () => {
    const { ethers } = await network.create("identityLocal");
    const accounts = (await ethers.getSigners()).map((account) => account.address);
    expect(accounts).to.have.length(20);
    for (const address of [development.signer, ...accounts]) {
      const shared = `${address}, a development address: everybody knows its key, and this chain is not a local node.`;
      expect(await refusal(registry({ owner: address.toLowerCase() }))).to.equal(
        `SignerRegistry.owner is ${shared}`,
      );
      expect(await refusal(registry({ signers: [one, address] }))).to.equal(
        `SignerRegistry.signers is ${shared}`,
      );
      for (const name of ["owner", "watcher", "guardian1", "guardian2"])
        expect(await refusal({ GuardedRegistry: { [name]: address } }, GuardedRegistry)).to.equal(
          `GuardedRegistry.${name} is ${shared}`,
        );
      await checkParameters(SignerRegistry, registry({ owner: address, signers: [address] }), local);
    }
  });
});
