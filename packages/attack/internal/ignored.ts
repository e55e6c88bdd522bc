import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { recognize } from "hardhat-identity/internal/consumer/submit";
import { contractFunctions, isIgnored } from "hardhat-identity/internal/lint/functions";
import { type Consumer, listConsumers } from "hardhat-identity/internal/lint/project";
import { isNode, nodesOf, parametersOf, type SyntaxNode } from "hardhat-identity/internal/lint/syntaxTree";
import type { AttackConnection } from "hardhat-identity/internal/testing/attack";
import type { Attacked } from "./attack.ts";

/** Leaves out the findings that a comment of the contract, of a base, or of the function declares intended. */
export function leaveOutIgnored<T extends Attacked>(attacked: T, consumer: Consumer | undefined): T {
  if (consumer === undefined) return attacked;
  const functions = contractFunctions(consumer);
  const isMeant = (attack: string, entryPoint: string) => {
    const comments = functions.commentsAt(findFunction(consumer, entryPoint));
    return isIgnored(attack.replaceAll("'", "").replaceAll(" ", "-"), comments);
  };
  const rehearsals = attacked.rehearsals.map((rehearsal) => ({
    ...rehearsal,
    findings: rehearsal.findings.filter(({ attack, entryPoint }) => !isMeant(attack, entryPoint)),
    tried: rehearsal.tried.filter(({ attack }) => !isMeant(attack, rehearsal.entryPoint)),
  }));
  return { ...attacked, rehearsals };
}

/** Finds the consumer of the project that runs at an address; `undefined` if none does. */
export async function findSource(
  node: Eip1193Connection,
  address: string,
  { project }: AttackConnection,
): Promise<Consumer | undefined> {
  if (project === undefined) return undefined;
  const consumers = await listConsumers(project);
  const artifact = await recognize(
    node,
    address,
    consumers.map((each) => each.artifact),
  );
  return consumers.find((each) => each.artifact === artifact);
}

/** Finds a function in the contract or its bases. */
export function findFunction({ definition, build }: Consumer, entryPoint: string): SyntaxNode | undefined {
  const [, name = "", types = ""] = /^(\w+)\((.*)\)$/.exec(entryPoint) ?? [];
  const count = types === "" ? 0 : types.replaceAll(/\([^)]*\)/g, "tuple").split(",").length;
  const { linearizedBaseContracts: bases } = definition;
  return (Array.isArray(bases) ? bases : [])
    .map((id) => build.declarations.get(Number(id)))
    .filter(isNode)
    .flatMap((contract) => nodesOf(contract.nodes))
    .find((node) => {
      const isNamed = node.name === name || node.kind === name;
      return node.nodeType === "FunctionDefinition" && isNamed && parametersOf(node).length === count;
    });
}
