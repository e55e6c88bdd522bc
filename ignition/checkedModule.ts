import {
  buildModule,
  type IgnitionModule,
  type IgnitionModuleBuilder,
  type IgnitionModuleResult,
  type ModuleParameterRuntimeValue,
} from "@nomicfoundation/ignition-core";

/**
 * The kind of a parameter: the address of a registry or of another contract, or one or more trusted addresses. The owner of
 * a guarded registry must not be the deploying account, which gives up its role at the end.
 */
export type ParameterKind = "registry" | "contract" | "trusted" | "trusted list" | "guarded owner";

type Kinds = Readonly<Record<string, ParameterKind>>;

/** A module's parameters by name: those of a list stand for an array of addresses, all others for an address. */
type ParametersOf<K extends Kinds> = {
  readonly [Name in keyof K]: ModuleParameterRuntimeValue<K[Name] extends "trusted list" ? string[] : string>;
};

/** Where a module has its kinds. A symbol of the whole process, because a project may have two copies of this package. */
const kindsKey = Symbol.for("hardhat-identity parameter kinds");

/** The kinds of a module's parameters. A project's own module has none. */
export const kindsOf = (module: IgnitionModule): Kinds =>
  (module as IgnitionModule & { [kindsKey]?: Kinds })[kindsKey] ?? {};

/**
 * Builds a module of this package. It gets the parameters whose kinds it declares, and `checkParameters` checks each by its
 * kind before a deployment.
 */
export function buildCheckedModule<
  Id extends string,
  const K extends Kinds,
  Contract extends string,
  Results extends IgnitionModuleResult<Contract>,
>(
  id: Id,
  kinds: K,
  build: (m: IgnitionModuleBuilder, parameters: ParametersOf<K>) => Results,
): IgnitionModule<Id, Contract, Results> {
  const module = buildModule<Id, Contract, Results>(id, (m) => {
    const parameters = Object.keys(kinds).map((name) => [name, m.getParameter(name)]);
    return build(m, Object.fromEntries(parameters));
  });
  return Object.assign(module, { [kindsKey]: kinds });
}
