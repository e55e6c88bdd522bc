import type { ContractFunctions } from "./functions.ts";
import type { Consumer } from "./project.ts";
import { isNode, namesIn, nodesOf, type SyntaxNode, typeOf, walk } from "./syntaxTree.ts";

/** Finds the state variables that a getter reads; `undefined` if any function writes one after construction. */
export function findWrittenOnce(
  { build: { declarations } }: Consumer,
  functions: ContractFunctions,
  getter: SyntaxNode,
): string[] | undefined {
  const read = new Set([getter.id, ...functions.reach([getter]).flatMap((each) => [...namesIn(each)])]);
  const variables = [...read]
    .flatMap((id) => declarations.get(id) ?? [])
    .filter(({ stateVariable, mutability }) => stateVariable === true && mutability === "mutable");
  // Assembly reads storage without naming a variable.
  if (variables.length === 0) return undefined;
  const nodes = functions.reach(functions.entryPoints).flatMap((routine) => [...walk(routine)]);
  const written = new Set(nodes.flatMap((node) => writtenBy(node, functions)));
  return variables.some(({ id }) => written.has(id)) ? undefined : variables.map(({ name }) => String(name));
}

/** Finds the variables that a node writes, or passes on as storage pointers. */
function writtenBy(node: SyntaxNode, functions: ContractFunctions): number[] {
  const { nodeType, leftHandSide, subExpression, expression, initialValue, memberName } = node;
  const isPointer = (each: SyntaxNode) => typeOf(each).includes("_storage");
  const places: unknown[] = [];
  if (nodeType === "Assignment") places.push(leftHandSide);
  if (nodeType === "UnaryOperation") places.push(subExpression);
  if (nodeType === "MemberAccess" && /^(push|pop)$/.test(String(memberName))) places.push(expression);
  if (nodeType === "VariableDeclarationStatement" && nodesOf(node.declarations).some(isPointer)) {
    places.push(initialValue);
  }
  if (nodeType === "FunctionCall" && isNode(expression) && functions.called(expression)) {
    places.push(...nodesOf(node.arguments).filter(isPointer), expression.expression);
  }
  return places.filter(isNode).flatMap((place) => [...namesIn(place)]);
}
