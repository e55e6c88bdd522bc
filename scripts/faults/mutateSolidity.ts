import { createRequire } from "node:module";
import { type Edit, swaps } from "./edit.ts";

/** A node of the compiler's syntax tree; `src` is `<first byte>:<number of bytes>:<file>`. */
interface Node {
  readonly nodeType: string;
  readonly src: string;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof Object(value).nodeType === "string";

/** Statements that can be left out. Without a `return`, a function returns zero. */
const removable: ReadonlySet<string> = new Set([
  "ExpressionStatement",
  "EmitStatement",
  "RevertStatement",
  "Return",
  "YulExpressionStatement",
  "YulAssignment",
]);

/** Functions of assembly, and what takes their place. */
const yulSwaps: Readonly<Record<string, string>> = {
  add: "sub",
  sub: "add",
  gt: "lt",
  lt: "gt",
  and: "or",
  or: "and",
};

/** Lists the changes of a Solidity file that mutants have, from the compiler's syntax tree. */
export function mutateSolidity(file: string, text: string): Edit[] {
  const bytes = Buffer.from(text);
  const characters = (from: number, to: number) => bytes.subarray(from, to).toString().length;
  /** Returns where a node begins and ends in the text. */
  const place = ({ src }: Node): [start: number, end: number] => {
    const [first = 0, size = 0] = src.split(":").map(Number);
    const start = characters(0, first);
    return [start, start + characters(first, first + size)];
  };
  const edits: Edit[] = [];
  const negate = (condition: unknown, [before, after]: readonly [string, string]) => {
    // The other operator is the negation.
    if (!isNode(condition) || ["==", "!="].includes(String(condition.operator))) return;
    const [start, end] = place(condition);
    edits.push({ start, end, to: `${before}${text.slice(start, end)}${after}` });
  };

  function visit(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (!isNode(value)) return;
    const [start, end] = place(value);
    if (removable.has(value.nodeType)) {
      const semicolon = text[end] === ";" ? 1 : 0;
      edits.push({ start, end: end + semicolon, to: "{}" });
    }
    switch (value.nodeType) {
      case "IfStatement":
      case "Conditional":
        negate(value.condition, ["!(", ")"]);
        break;
      case "YulIf":
        negate(value.condition, ["iszero(", ")"]);
        break;
      case "BinaryOperation":
      case "Assignment": {
        const { leftExpression, rightExpression, leftHandSide, rightHandSide, operator } = value;
        const [, left] = place((leftExpression ?? leftHandSide) as Node);
        const [right] = place((rightExpression ?? rightHandSide) as Node);
        swapOperator(String(operator), [left, right], [start, end]);
        break;
      }
      case "YulFunctionCall": {
        const name = value.functionName as Node;
        const to = yulSwaps[String(name.name)];
        const [first, last] = place(name);
        if (to !== undefined) edits.push({ start: first, end: last, to, shown: [start, end] });
        break;
      }
      case "ForStatement":
        // A loop that never ends proves nothing.
        visit([value.condition, value.body]);
        return;
    }
    for (const member of Object.values(value)) visit(member);
  }

  function swapOperator(operator: string, [from, to]: [number, number], shown: [number, number]): void {
    const other = swaps[operator];
    if (other === undefined) return;
    const start = from + text.slice(from, to).indexOf(operator);
    edits.push({ start, end: start + operator.length, to: other, shown });
  }

  for (const contract of (parse(file, text).nodes as Node[]).filter(({ nodes }) => nodes !== undefined)) {
    for (const definition of contract.nodes as Node[]) {
      if (definition.nodeType !== "FunctionDefinition") continue;
      visit(definition.body);
      // Of a constructor, these are the contracts that it inherits from.
      for (const modifier of definition.kind === "constructor" ? [] : (definition.modifiers as Node[])) {
        const [start, end] = place(modifier);
        edits.push({ start, end, to: "" });
      }
    }
  }
  return edits;
}

/** Returns a file's syntax tree. The compiler reads no other file for it. */
function parse(file: string, content: string): Node {
  const solc: { compile(input: string): string } = createRequire(import.meta.url)("solc");
  const settings = { stopAfter: "parsing", outputSelection: { "*": { "": ["ast"] } } };
  const input = { language: "Solidity", sources: { [file]: { content } }, settings };
  const { errors, sources } = JSON.parse(solc.compile(JSON.stringify(input)));
  if (sources?.[file] === undefined) throw new Error(`${file} does not parse: ${JSON.stringify(errors)}`);
  return sources[file].ast;
}
