import type { ContractFunctions } from "./functions.ts";
import type { Consumer } from "./project.ts";
import {
  childrenOf,
  declarationOf,
  isNode,
  namesIn,
  nodesOf,
  parametersOf,
  type SyntaxNode,
  typeOf,
  walk,
} from "./syntaxTree.ts";

/** A step of an entry point with the identity of a verification. */
export type Step = {
  readonly node: SyntaxNode;
} & (
  | { readonly kind: "verify" }
  /** `blind`: the step writes the same value whatever the slot contained. */
  | { readonly kind: "remember"; readonly blind: boolean }
  | { readonly kind: "look" }
);

/** The calls that lead to a node and, in a modifier, the code that runs at its `_`. */
interface Position {
  readonly path: readonly SyntaxNode[];
  readonly modified?: () => void;
}

/** Finds the steps of an entry point and of all functions that it runs, in the order of the source. */
export function followIdentity(
  consumer: Consumer,
  functions: ContractFunctions,
  entryPoint: SyntaxNode,
): Step[] {
  const isOfIdentity = tracer(consumer, functions, entryPoint);
  const steps: Step[] = [];
  follow(entryPoint, []);
  return steps;

  function follow(routine: SyntaxNode, callers: readonly SyntaxNode[]): void {
    if (callers.includes(routine)) return;
    const path = [...callers, routine];
    const modifiers = nodesOf(routine.modifiers);
    const run = (i: number): void => {
      const use = modifiers[i];
      if (use === undefined) {
        if (isNode(routine.body)) visit(routine.body, { path });
        return;
      }
      for (const argument of nodesOf(use.arguments)) visit(argument, { path });
      const modifier = isNode(use.modifierName) ? functions.called(use.modifierName) : undefined;
      if (isNode(modifier?.body)) visit(modifier.body, { path, modified: () => run(i + 1) });
      else run(i + 1);
    };
    run(0);
  }

  function visit(node: SyntaxNode, at: Position): void {
    const { leftHandSide, rightHandSide, operator } = node;
    if (node.nodeType === "Assignment" && isNode(leftHandSide) && isNode(rightHandSide)) {
      visit(rightHandSide, at);
      const isPlain = operator === "=";
      // A plain assignment does not read the slot that it writes, but may read others to compute its index.
      for (const child of isPlain ? childrenOf(leftHandSide) : [leftHandSide]) visit(child, at);
      if (isOfIdentity(node) && isInStorage(consumer, leftHandSide)) {
        steps.push({ node, kind: "remember", blind: isPlain && rightHandSide.nodeType === "Literal" });
      }
      return;
    }
    for (const child of childrenOf(node)) visit(child, at);
    // The `_` of a modifier.
    if (node.nodeType === "PlaceholderStatement") at.modified?.();
    const routine = functions.called(node);
    if (routine !== undefined) follow(routine, at.path);
    const step = isOfIdentity(node) ? judge(node) : undefined;
    if (step !== undefined) steps.push(step);
  }

  function judge(node: SyntaxNode): Step | undefined {
    const { nodeType, expression, subExpression, operator } = node;
    if (nodeType === "FunctionCall" && isNode(expression)) {
      if (expression.memberName === "verifyVerification") return { node, kind: "verify" };
      // Another contract may remember the identity, and may check for it.
      const type = typeOf(expression);
      if (
        /^t_function_(external|bare|delegatecall)/.test(type) &&
        !/^t_function_[a-z]+_(view|pure)\$/.test(type)
      ) {
        return { node, kind: "remember", blind: false };
      }
      return expression.memberName === "push" ? { node, kind: "remember", blind: true } : undefined;
    }
    if (
      nodeType === "UnaryOperation" &&
      isNode(subExpression) &&
      /^(\+\+|--|delete)$/.test(String(operator))
    ) {
      return isInStorage(consumer, subExpression)
        ? { node, kind: "remember", blind: operator === "delete" }
        : undefined;
    }
    if (nodeType === "InlineAssembly" && JSON.stringify(node.AST).includes('"sstore"')) {
      return { node, kind: "remember", blind: false };
    }
    const reads = nodeType === "IndexAccess" || nodeType === "MemberAccess";
    return reads && isInStorage(consumer, node) ? { node, kind: "look" } : undefined;
  }
}

/** Returns whether an expression refers to storage: to a state variable, or through a storage pointer. */
export function isInStorage(consumer: Consumer, place: SyntaxNode): boolean {
  const base = [place.baseExpression, place.expression].find(isNode);
  if (place.nodeType === "FunctionCall" || base === undefined) {
    const declaration = consumer.build.declarations.get(declarationOf(place) ?? 0);
    const isPointer = declaration?.storageLocation === "storage" || typeOf(place).includes("_storage");
    return declaration?.stateVariable === true || isPointer;
  }
  return isInStorage(consumer, base);
}

/** Finds every variable that holds the identity or a value derived from it. */
function tracer({ build: { declarations } }: Consumer, functions: ContractFunctions, entryPoint: SyntaxNode) {
  const holders = new Set<number>();
  const nodes = functions.reach([entryPoint]).flatMap((routine) => [...walk(routine)]);
  const isLocal = (id: number) => {
    const declaration = declarations.get(id);
    return declaration?.nodeType === "VariableDeclaration" && declaration.stateVariable !== true;
  };
  const localsIn = (node: SyntaxNode) => [...namesIn(node)].filter(isLocal);

  /** Data flow between variables: the sources, and the variables that receive their values. */
  const links: [given: readonly number[], taken: readonly number[]][] = [];
  for (const node of nodes) {
    const { initialValue, leftHandSide, rightHandSide, modifierName, expression } = node;
    if (node.nodeType === "VariableDeclarationStatement" && isNode(initialValue)) {
      links.push([localsIn(initialValue), nodesOf(node.declarations).map(({ id }) => id)]);
    }
    if (node.nodeType === "Assignment" && isNode(leftHandSide) && isNode(rightHandSide)) {
      const target = declarationOf(leftHandSide);
      if (target !== undefined && isLocal(target)) links.push([localsIn(rightHandSide), [target]]);
    }
    if (node.nodeType === "InlineAssembly") {
      const locals = externalsOf(node).filter(isLocal);
      links.push([locals, locals]);
    }
    const routine = [modifierName, expression].filter(isNode).map(functions.called).find(Boolean);
    if (routine === undefined || (node.nodeType !== "FunctionCall" && !isNode(modifierName))) continue;
    const given = nodesOf(node.arguments);
    const takes = parametersOf(routine);
    // In a library call `set.add(identityHash)`, the set is the first parameter.
    const bound = isNode(expression) && isNode(expression.expression) && takes.length === given.length + 1;
    const all = bound ? [expression.expression as SyntaxNode, ...given] : given;
    for (const [i, argument] of all.entries()) {
      const parameter = takes[i];
      if (parameter) links.push([localsIn(argument), [parameter.id]]);
    }
  }

  for (const node of nodes) {
    if (!isNode(node.expression) || node.expression.memberName !== "verifyVerification") continue;
    const identity = nodesOf(node.arguments)[1];
    for (const local of identity ? localsIn(identity) : []) holders.add(local);
  }
  for (let before = -1; before !== holders.size; ) {
    before = holders.size;
    for (const [given, taken] of links) {
      if (given.some((id) => holders.has(id))) for (const id of taken) holders.add(id);
      const [source, another] = given;
      const isCopy = source !== undefined && another === undefined;
      if (isCopy && taken.some((id) => holders.has(id))) holders.add(source);
    }
  }
  return (node: SyntaxNode) =>
    [...namesIn(node), ...(node.nodeType === "InlineAssembly" ? externalsOf(node) : [])].some((id) =>
      holders.has(id),
    );
}

/** Reads the ids of the variables that an assembly block uses. */
function externalsOf({ externalReferences }: SyntaxNode): number[] {
  return [externalReferences ?? []].flat().map((reference) => Number(Object(reference).declaration));
}
