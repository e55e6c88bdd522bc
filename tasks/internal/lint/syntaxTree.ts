import { membersOf } from "@hardhat-identity/protocol/json";
/** A node of solc's AST. Every other member is a value, a node or a list of nodes. */
export interface SyntaxNode {
  readonly id: number;
  readonly nodeType: string;
  /** `<first byte>:<bytes>:<source>`. */
  readonly src: string;
  readonly [member: string]: unknown;
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof membersOf(value).nodeType === "string";

/** Returns the nodes of a member that is a node or a list of nodes. */
export function nodesOf(value: unknown): SyntaxNode[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode);
}

/** Returns the parameters of a function, modifier or event. */
export function parametersOf(definition: SyntaxNode): SyntaxNode[] {
  const { parameters } = definition;
  return isNode(parameters) ? nodesOf(parameters.parameters) : [];
}

/** Returns the compiler's type of a declaration, such as `t_address`. */
export function typeOf(node: SyntaxNode | undefined): string {
  return String(membersOf(node?.typeDescriptions).typeIdentifier ?? "");
}
