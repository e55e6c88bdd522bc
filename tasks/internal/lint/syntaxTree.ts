/** A node of solc's AST; every other member is a value, a node or a list of nodes. */
export interface SyntaxNode {
  readonly id: number;
  readonly nodeType: string;
  /** `<first byte>:<bytes>:<source>`. */
  readonly src: string;
  readonly [member: string]: unknown;
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof Object(value).nodeType === "string";

/** The nodes of a member that is a node or a list of nodes. */
export function nodesOf(value: unknown): SyntaxNode[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode);
}

/** The nodes directly below a node, in the order of the source. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children = Object.values(node).flatMap(nodesOf);
  return children.sort((a, b) => startOf(a) - startOf(b));
}

const startOf = ({ src }: SyntaxNode) => Number.parseInt(src, 10);

/** The node and everything below it. */
export function* walk(node: SyntaxNode): Generator<SyntaxNode, void> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of nodesOf(value)) yield* walk(child);
  }
}

/** What a name in the source stands for: the id of its declaration, negative for what the language has built in. */
export function declarationOf(node: SyntaxNode): number | undefined {
  const { referencedDeclaration } = node;
  return typeof referencedDeclaration === "number" ? referencedDeclaration : undefined;
}

/** Ids of all declarations that are named in the node or below. */
export function namesIn(node: SyntaxNode): Set<number> {
  const names = new Set<number>();
  for (const each of walk(node)) {
    const declaration = declarationOf(each);
    if (declaration !== undefined) names.add(declaration);
  }
  return names;
}

/** The parameters of a function, modifier or event. */
export function parametersOf(definition: SyntaxNode): SyntaxNode[] {
  const { parameters } = definition;
  return isNode(parameters) ? nodesOf(parameters.parameters) : [];
}

/** The type that the compiler gives an expression or a declaration, such as `t_function_internal_view$…`. */
export function typeOf(node: SyntaxNode | undefined): string {
  return String(Object(node?.typeDescriptions).typeIdentifier ?? "");
}
