import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { id } from "ethers";
import { isCodeOf } from "hardhat-identity/internal/consumer/compiledContract";
import { findImplementation, readCode } from "hardhat-identity/internal/consumer/erc1967";
import { contractFunctions, isIgnored } from "hardhat-identity/internal/lint/functions";
import { type Consumer, listConsumers } from "hardhat-identity/internal/lint/project";
import { isNode, nodesOf, type SyntaxNode } from "hardhat-identity/internal/lint/syntaxTree";
import type { AttackConnection } from "hardhat-identity/internal/testing/attack";
import type { Attacked } from "./attack.ts";

/**
 * Leaves out the findings that a comment of the contract, of a base, or of the function declares intended.
 *
 * @param consumers The contract; several if they have the same code, of which each must declare it.
 */
export function leaveOutIgnored<T extends Attacked>(attacked: T, consumers: readonly Consumer[]): T {
  const all = consumers.map((consumer) => ({ consumer, functions: contractFunctions(consumer) }));
  const isMeant = (attack: string, entryPoint: string) =>
    all.length > 0 &&
    all.every(({ consumer, functions }) => {
      const comments = functions.commentsAt(findFunction(consumer, entryPoint));
      return isIgnored(attack.replaceAll("'", "").replaceAll(" ", "-"), comments);
    });
  const rehearsals = attacked.rehearsals.map((rehearsal) => ({
    ...rehearsal,
    findings: rehearsal.findings.filter(({ attack, entryPoint }) => !isMeant(attack, entryPoint)),
    tried: rehearsal.tried.filter(({ attack }) => !isMeant(attack, rehearsal.entryPoint)),
  }));
  return { ...attacked, rehearsals };
}

/** Finds the consumers of the project whose code runs at an address: several may have the same. */
export async function findSources(
  node: Eip1193Connection,
  address: string,
  { project }: AttackConnection,
): Promise<Consumer[]> {
  if (project === undefined) return [];
  const code = await readCode(node, await findImplementation(node, address));
  return (await listConsumers(project)).filter(({ artifact }) => isCodeOf(code, artifact));
}

/** Finds a function, or a public variable's getter, in the contract or its bases. */
export function findFunction({ definition, build }: Consumer, entryPoint: string): SyntaxNode | undefined {
  const [kind] = entryPoint.split("(");
  const selector = id(entryPoint).slice(2, 10);
  const { linearizedBaseContracts: bases } = definition;
  return (Array.isArray(bases) ? bases : [])
    .map((id) => build.declarations.get(Number(id)))
    .filter(isNode)
    .flatMap((contract) => nodesOf(contract.nodes))
    .find((node) => node.functionSelector === selector || (node.name === "" && node.kind === kind));
}
