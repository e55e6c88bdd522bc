import { membersOf } from "@hardhat-identity/protocol/json";
import type { Consumer } from "./project.ts";
import { isNode, nodesOf, parametersOf, type SyntaxNode } from "./syntaxTree.ts";

/** Reads a contract's functions from its source, including inherited ones, with overrides resolved. */
export function contractFunctions({ definition, build }: Consumer) {
  // The most derived first.
  const line = (definition.linearizedBaseContracts as number[]).flatMap(
    (id) => build.declarations.get(id) ?? [],
  );
  const members = line.flatMap(({ nodes }) => nodesOf(nodes));
  return {
    /** Finds the public function or variable behind a getter without parameters, such as `provider`. */
    getter: (name: string) =>
      members.find(
        (member) =>
          member.name === name &&
          member.functionSelector !== undefined &&
          (member.nodeType === "VariableDeclaration" || isNode(member.body)) &&
          parametersOf(member).length === 0,
      ),
    /** Reads the comments of the contract, of its bases and of a definition. */
    commentsAt: (at?: SyntaxNode) =>
      [...line, ...(at ? [at] : [])].map(({ documentation }) =>
        String(membersOf(documentation).text ?? documentation ?? ""),
      ),
    /** Whether the source of the contract or of a base has a text, in any casing. */
    mentions: (text: string) =>
      line.some((each) => build.textOf(each).toLowerCase().includes(text.toLowerCase())),
  };
}

/** Returns whether a comment of a contract or a function has `@custom:identity-ignore` with a rule's or an attack's name. */
export function isIgnored(name: string, comments: readonly string[]): boolean {
  return comments.some((comment) =>
    [...comment.matchAll(/@custom:identity-ignore ([\w-]+(?:, *[\w-]+)*)/g)].some(([, list = ""]) =>
      list.split(/, */).includes(name),
    ),
  );
}
