import ts from "typescript";
import { type Edit, swaps } from "./edit.ts";

/** Lists the changes of a TypeScript file that mutants have. */
export function mutateTypeScript(file: string, text: string): Edit[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const edits: Edit[] = [];
  const place = (node: ts.Node) => [node.getStart(source), node.getEnd()] as const;
  const negate = (condition: ts.Expression) => {
    // The other operator is the negation.
    if (ts.isBinaryExpression(condition) && /^[=!]==$/.test(condition.operatorToken.getText(source))) return;
    const [start, end] = place(condition);
    edits.push({ start, end, to: `!(${text.slice(start, end)})` });
  };
  (function visit(node: ts.Node): void {
    if (isRemovable(node)) {
      const [start, end] = place(node);
      edits.push({ start, end, to: ";" });
    }
    if (ts.isIfStatement(node)) negate(node.expression);
    if (ts.isConditionalExpression(node)) negate(node.condition);
    if (ts.isBinaryExpression(node)) {
      const [start, end] = place(node.operatorToken);
      const to = swaps[text.slice(start, end)];
      if (to !== undefined) edits.push({ start, end, to, shown: place(node) });
    }
    ts.forEachChild(node, visit);
  })(source);
  return edits;
}

/** Statements that can be left out. Without a `return`, a function returns `undefined`. */
function isRemovable(node: ts.Node): boolean {
  return (
    ts.isExpressionStatement(node) ||
    ts.isThrowStatement(node) ||
    ts.isReturnStatement(node) ||
    ts.isContinueStatement(node) ||
    ts.isBreakStatement(node)
  );
}
