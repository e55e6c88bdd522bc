import type { ContractFunctions } from "./functions.ts";
import { followIdentity, isInStorage } from "./identityFlow.ts";
import type { Consumer } from "./project.ts";
import type { Rule } from "./rules.ts";
import { isNode, namesIn, nodesOf, parametersOf, type SyntaxNode, typeOf, walk } from "./syntaxTree.ts";

/** A violation of a rule by an entry point. */
export interface EntryPointProblem {
  readonly rule: Extract<
    Rule,
    "identity-not-remembered" | "remembered-before-verified" | "verification-not-checked"
  >;
  readonly message: string;
  readonly at: SyntaxNode;
  readonly entryPoint: SyntaxNode;
}

/** Finds errors in how a consumer's entry points handle verifications. */
export function judgeEntryPoints(consumer: Consumer, functions: ContractFunctions): EntryPointProblem[] {
  return functions.entryPoints.flatMap((entryPoint) => {
    const problem = isUnchecked(functions, entryPoint)
      ? unchecked(entryPoint)
      : judgeMemory(consumer, functions, entryPoint);
    return problem === undefined ? [] : [{ ...problem, entryPoint }];
  });
}

type Problem = Omit<EntryPointProblem, "entryPoint">;

function judgeMemory(
  consumer: Consumer,
  functions: ContractFunctions,
  entryPoint: SyntaxNode,
): Problem | undefined {
  const name = nameOf(entryPoint);
  const steps = followIdentity(consumer, functions, entryPoint);
  const verified = steps.findIndex(({ kind }) => kind === "verify");
  if (verified === -1) return undefined;
  const remembered = steps.filter((step) => step.kind === "remember");
  const rule = "identity-not-remembered";
  if (remembered.length === 0) {
    if (!keepsRecord(consumer, functions, entryPoint)) return undefined;
    const message = `${name} verifies, but does not remember the identity: it counts any number of times. Extend VerifyOnce, and call _verifyOnce; or, if that is meant, add @custom:identity-ignore ${rule}.`;
    return { rule, message, at: entryPoint };
  }
  const [first] = remembered;
  if (first && remembered.every(({ blind }) => blind) && steps.every(({ kind }) => kind !== "look")) {
    const message = `${name} remembers the identity, but never checks whether it was remembered before: it counts any number of times. Extend VerifyOnce, and call _verifyOnce.`;
    return { rule, message, at: first.node };
  }
  if (first && steps.indexOf(first) < verified) {
    const message = `${name} remembers the identity before it is verified, which a refused caller pays for; verify first.`;
    return { rule: "remembered-before-verified", message, at: first.node };
  }
  return undefined;
}

/** Returns whether an entry point records, counts or pays anything. One that does not is a gate: it may be passed again. */
function keepsRecord(consumer: Consumer, functions: ContractFunctions, entryPoint: SyntaxNode): boolean {
  return functions
    .reach([entryPoint])
    .flatMap((routine) => [...walk(routine)])
    .some((node) => {
      const { nodeType, operator, leftHandSide, rightHandSide, subExpression, expression } = node;
      if (nodeType === "InlineAssembly") return /"(sstore|call|delegatecall)"/.test(JSON.stringify(node.AST));
      if (nodeType === "FunctionCall" && isNode(expression)) {
        return (
          /^t_function_(external|bare|delegatecall|transfer|send|creation)(?!\w*_(view|pure)\$)/.test(
            typeOf(expression),
          ) || expression.memberName === "push"
        );
      }
      const place = [leftHandSide, nodeType === "UnaryOperation" && subExpression].find(isNode);
      if (place === undefined || operator === "!" || operator === "-" || operator === "~") return false;
      const isOfSomebody = [...walk(place)].some((each) => each.nodeType === "IndexAccess");
      const isAddress = isNode(rightHandSide) && typeOf(rightHandSide).startsWith("t_address");
      return isInStorage(consumer, place) && (operator !== "=" || isOfSomebody || isAddress);
    });
}

function unchecked(entryPoint: SyntaxNode): Problem {
  const message = `${nameOf(entryPoint)} takes a verification and does not check it: anybody can make one up. Call _verifyOnce, or _verify.`;
  return { rule: "verification-not-checked", message, at: entryPoint };
}

const nameOf = ({ name }: SyntaxNode) => `${name}()`;

/** Returns whether an entry point takes a verification and passes it to nothing that could check it. */
function isUnchecked(functions: ContractFunctions, entryPoint: SyntaxNode): boolean {
  const verification = findVerification(parametersOf(entryPoint));
  if (verification === undefined || isDisabled(entryPoint)) return false;
  return functions
    .reach([entryPoint])
    .flatMap((routine) => [...walk(routine)])
    .every((node) => !mayCheck(node));
}

/** Returns whether a node may check a verification: the registry does, and any other contract or assembly may. */
function mayCheck(node: SyntaxNode): boolean {
  const { nodeType, memberName, expression } = node;
  if (memberName === "verifyVerification" || nodeType === "InlineAssembly") return true;
  return (
    nodeType === "FunctionCall" &&
    isNode(expression) &&
    /^t_function_(external|bare|delegatecall)/.test(typeOf(expression)) &&
    nodesOf(node.arguments).some((argument) => namesIn(argument).size > 0)
  );
}

/** Finds the three parameters of a verification by their names, or by their types if they have no names. */
function findVerification(parameters: readonly SyntaxNode[]): readonly SyntaxNode[] | undefined {
  const types = ["t_bytes32", "t_uint40", "t_bytes_calldata_ptr"];
  const names = ["identityHash", "expiration", "signature"];
  const bare = parameters.length === 3 && parameters.every(({ name }) => name === "");
  const found = names.map((wanted, i) =>
    parameters.find((parameter, at) => {
      const plain = String(parameter.name).replace(/^_+|_+$/g, "");
      const isType = typeOf(parameter).replace("memory", "calldata") === types[i];
      return isType && (bare ? at === i : plain === wanted);
    }),
  );
  return found.every((each) => each !== undefined) ? found : undefined;
}

/** Returns whether a function always reverts. */
function isDisabled({ body }: SyntaxNode): boolean {
  const statements = isNode(body) ? nodesOf(body.statements) : [];
  return statements.some(
    ({ nodeType, expression }) =>
      nodeType === "RevertStatement" ||
      (isNode(expression) && Object(expression.expression).name === "revert"),
  );
}
