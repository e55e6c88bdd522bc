import type { Consumer } from "./project.ts";
import { isNode, nodesOf, parametersOf, type SyntaxNode } from "./syntaxTree.ts";

/** The functions of a contract, including inherited ones, with overrides resolved. */
export interface ContractFunctions {
  /** Finds the public function or variable behind a getter without parameters, such as `provider`. */
  getter(name: string): SyntaxNode | undefined;
  /** Reads the comments of the contract, of its bases and of a definition. */
  commentsAt(definition?: SyntaxNode): string[];
  /** Whether the source of the contract or of a base has a text, in any casing. */
  mentions(text: string): boolean;
}

/** Reads a contract's functions from its source. */
export function contractFunctions({ definition, build }: Consumer): ContractFunctions {
  // The most derived first.
  const line = (definition.linearizedBaseContracts as number[]).flatMap(
    (id) => build.declarations.get(id) ?? [],
  );
  const members = line.flatMap(({ nodes }) => nodesOf(nodes));
  return {
    getter: (name) =>
      members.find(
        (member) =>
          member.name === name &&
          member.functionSelector !== undefined &&
          (member.nodeType === "VariableDeclaration" || isNode(member.body)) &&
          parametersOf(member).length === 0,
      ),
    commentsAt: (at) =>
      [...line, ...(at ? [at] : [])].map(({ documentation }) =>
        String(Object(documentation).text ?? documentation ?? ""),
      ),
    mentions: (text) => line.some((each) => build.textOf(each).toLowerCase().includes(text.toLowerCase())),
  };
}
