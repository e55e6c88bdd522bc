/** A node of solc's AST. Every other member is a value, a node or a list of nodes. */
export interface SyntaxNode {
  readonly id: number;
  readonly nodeType: string;
  /** `<first byte>:<bytes>:<source>`. */
  readonly src: string;
  readonly [member: string]: unknown;
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof Object(value).nodeType === "string";

/** Returns the nodes of a member that is a node or a list of nodes. */
export function nodesOf(value: unknown): SyntaxNode[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode);
}

/** Yields the node and all its descendants. */
export function* walk(node: SyntaxNode): Generator<SyntaxNode, void> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of nodesOf(value)) yield* walk(child);
  }
}

/** Returns the id of the declaration that a name refers to. The ids of the language's built-in names are negative. */
export function declarationOf(node: SyntaxNode): number | undefined {
  const { referencedDeclaration } = node;
  return typeof referencedDeclaration === "number" ? referencedDeclaration : undefined;
}

/** Returns the ids of all declarations that the node and its descendants refer to. */
export function namesIn(node: SyntaxNode): Set<number> {
  const names = new Set<number>();
  for (const each of walk(node)) {
    const declaration = declarationOf(each);
    if (declaration !== undefined) names.add(declaration);
  }
  return names;
}

/** Returns the parameters of a function, modifier or event. */
export function parametersOf(definition: SyntaxNode): SyntaxNode[] {
  const { parameters } = definition;
  return isNode(parameters) ? nodesOf(parameters.parameters) : [];
}

/** Returns the compiler's type of an expression or a declaration, such as `t_function_internal_view$…`. */
export function typeOf(node: SyntaxNode | undefined): string {
  return String(Object(node?.typeDescriptions).typeIdentifier ?? "");
}
