import type { Consumer } from "./project.ts";
import { declarationOf, isNode, nodesOf, parametersOf, type SyntaxNode, typeOf, walk } from "./syntaxTree.ts";

/** The functions of a contract, including inherited ones, with overrides resolved. */
export interface ContractFunctions {
  /** Functions that a transaction can call: state-changing public and external ones, `receive` and `fallback`. */
  readonly entryPoints: readonly SyntaxNode[];
  /** The constructors of the contract and its bases. */
  readonly constructors: readonly SyntaxNode[];
  /** Finds the public function or variable behind a getter without parameters, such as `provider`. */
  getter(name: string): SyntaxNode | undefined;
  /**
   * Finds the function or modifier that an expression or a modifier invocation runs; `undefined` if it is not one of
   * this contract's.
   */
  called(use: SyntaxNode): SyntaxNode | undefined;
  /** Finds every definition that the given ones run, including themselves. */
  reach(definitions: readonly SyntaxNode[]): SyntaxNode[];
  /** Reads the comments of the contract, of its bases and of a definition. */
  commentsAt(definition?: SyntaxNode): string[];
}

/** Reads a contract's functions, and resolves the calls in them. */
export function contractFunctions({ definition, build: { declarations } }: Consumer): ContractFunctions {
  const line = (definition.linearizedBaseContracts as number[]).flatMap((id) => declarations.get(id) ?? []);
  const members = line.flatMap(({ nodes }) => nodesOf(nodes));
  const routines = members.filter(
    ({ nodeType, body }) => /^(Function|Modifier)Def/.test(nodeType) && isNode(body),
  );

  const entryPoints: SyntaxNode[] = [];
  const seen = new Set<unknown>();
  for (const routine of routines) {
    const { functionSelector, kind, stateMutability, visibility } = routine;
    if (visibility !== "public" && visibility !== "external") continue;
    const name = functionSelector ?? kind;
    if (kind === "constructor" || seen.has(name)) continue;
    seen.add(name);
    if (stateMutability !== "view" && stateMutability !== "pure") entryPoints.push(routine);
  }

  /** Finds the most derived override of a function or modifier. */
  function resolve(routine: SyntaxNode): SyntaxNode {
    return routine.virtual === true
      ? (routines.find((each) => each.id === routine.id || overrides(each, routine.id)) ?? routine)
      : routine;
  }

  function overrides({ baseFunctions, baseModifiers }: SyntaxNode, id: number): boolean {
    const bases = [baseFunctions ?? baseModifiers ?? []].flat() as number[];
    return bases.some((base) => base === id || overridesBase(declarations.get(base), id));
  }

  const overridesBase = (base: SyntaxNode | undefined, id: number) =>
    base !== undefined && overrides(base, id);

  function called(use: SyntaxNode): SyntaxNode | undefined {
    const routine = declarations.get(declarationOf(use) ?? 0);
    if (routine === undefined || !/^(Function|Modifier)Def/.test(routine.nodeType)) return undefined;
    const { expression } = use;
    const base = isNode(expression) ? expression : undefined;
    // An external call runs another contract's function, unless it is a call of `this`.
    if (typeOf(use).startsWith("t_function_external") && base?.name !== "this") return undefined;
    return base?.name === "super" ? routine : resolve(routine);
  }

  function reach(definitions: readonly SyntaxNode[]): SyntaxNode[] {
    const reached = new Set(definitions);
    for (const each of reached) {
      for (const node of walk(each)) {
        const routine = called(node);
        if (routine !== undefined) reached.add(routine);
      }
    }
    return [...reached];
  }

  return {
    entryPoints,
    constructors: routines.filter(({ kind }) => kind === "constructor"),
    getter: (name) =>
      members.find((member) => {
        const answers = member.nodeType === "VariableDeclaration" || isNode(member.body);
        return (
          answers &&
          member.name === name &&
          member.functionSelector !== undefined &&
          parametersOf(member).length === 0
        );
      }),
    called,
    reach,
    commentsAt: (at) =>
      [...line, ...(at ? [at] : [])].map(({ documentation }) =>
        String(Object(documentation).text ?? documentation ?? ""),
      ),
  };
}
