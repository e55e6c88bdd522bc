import ts from "typescript";
import { document } from "../../signer/internal/http/openapi.ts";

const program = ts.createProgram(["packages/client/index.ts"], {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  strict: true,
});
const checker = program.getTypeChecker();

/** Describes every function, type and error of the client, from its types and their comments. */
export async function describeClient(): Promise<string> {
  const source = program.getSourceFile("packages/client/index.ts");
  const entry = source && checker.getSymbolAtLocation(source);
  if (entry === undefined) throw new Error("The client's types cannot be read.");
  const all = checker
    .getExportsOfModule(entry)
    .map((symbol) => checker.getAliasedSymbol(symbol))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const functions = all.filter(({ valueDeclaration: at }) => at && ts.isFunctionDeclaration(at));
  const options = functions.flatMap((each) => optionsOf(each)?.symbol ?? []);
  const types = all.filter((each) => !functions.includes(each) && !options.includes(each));
  return `# Client API

Every function and type of \`@hardhat-identity/client\`. [Client SDK](../client.md) and [Reading
storage](../storage.md) are the guides.

## Functions

[Errors](../client.md#errors) explains the codes. Any function can also throw \`client_invalid_argument\`.

${functions.map(describeFunction).join("\n\n")}

## Types

${types.map(describeType).join("\n\n")}
`;
}

function describeFunction(symbol: ts.Symbol): string {
  const { parameters, type } = symbol.valueDeclaration as ts.FunctionDeclaration;
  const tag = (name: string) =>
    ts.displayPartsToString(symbol.getJsDocTags(checker).find((each) => each.name === name)?.text);
  const list = parameters.map((each) => `${parameterName(each)}: ${each.type?.getText()}`);
  const signature = `function ${symbol.name}(${list.join(", ")}): ${type?.getText()}`;
  const returns = tag("returns");
  const throws = tag("throws").replaceAll("\n", " ");
  const codes = throws.match(/`(?!client_invalid_argument)client_[a-z_]+`|the service's codes/g) ?? [];
  return join([
    `### ${symbol.name}()`,
    code(signature),
    comment(symbol),
    listMembers(optionsOf(symbol)?.getProperties() ?? [], symbol.valueDeclaration as ts.FunctionDeclaration),
    returns && `**Returns** ${returns}`,
    codes.length > 0 ? `**Throws** ${codes.join(", ")}` : "",
  ]);
}

function describeType(symbol: ts.Symbol): string {
  const inHttp = Object.keys(document.components.schemas).includes(symbol.name);
  if (inHttp) return `### ${symbol.name}\n\n[As the service answers](http.md#${symbol.name.toLowerCase()}).`;
  const [at] = symbol.declarations ?? [];
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const isAlias = at !== undefined && ts.isTypeAliasDeclaration(at);
  return join([
    `### ${symbol.name}`,
    // A type of other types' members says no more than its comment.
    isAlias && !at.getText().includes("typeof") ? code(at.getText()) : "",
    comment(symbol),
    isAlias ? "" : listMembers(type.getProperties()),
  ]);
}

/** The type of a function's parameter `options`, which some functions take apart. */
function optionsOf({ valueDeclaration }: ts.Symbol): ts.Type | undefined {
  const parameter = (valueDeclaration as ts.FunctionDeclaration).parameters.find(
    (each) => parameterName(each) === "options",
  );
  return parameter && checker.getTypeAtLocation(parameter);
}

const parameterName = ({ name }: ts.ParameterDeclaration) =>
  ts.isIdentifier(name) ? name.getText() : "options";

/** Each described member → the function that lists it first. */
const described = new Map<string, string>();

/** Lists members that this repository declares, with the comments on them or in a function's `@param`. */
function listMembers(members: readonly ts.Symbol[], of?: ts.FunctionDeclaration): string {
  const parameters = of ? ts.getJSDocTags(of).filter(ts.isJSDocParameterTag) : [];
  const asBefore = new Map<string, string[]>();
  const lines = members.flatMap((member) => {
    const at = member.declarations?.[0];
    if (at === undefined || program.isSourceFileDefaultLibrary(at.getSourceFile())) return [];
    const tag = parameters.find(({ name }) => name.getText() === `options.${member.name}`);
    const about = comment(member) || ts.getTextOfJSDocComment(tag?.comment);
    const line = `- \`${shorten(at.getText())}\`${about ? `: ${about.replaceAll(/\s+/g, " ")}` : ""}`;
    const first = described.get(line);
    if (first !== undefined && about) {
      asBefore.set(first, [...(asBefore.get(first) ?? []), `\`${member.name}\``]);
      return [];
    }
    if (of?.name) described.set(line, of.name.text);
    return line;
  });
  const repeated = [...asBefore].map(
    ([first, names]) => `- ${names.join(", ")}: as for [${first}](#${first.toLowerCase()})`,
  );
  return [...lines, ...repeated].join("\n");
}

const shorten = (text: string) => {
  const plain = text
    .replaceAll(/\b(?:override|readonly) |\/\*\*.*?\*\//gs, "")
    .replaceAll(/\s+/g, " ")
    .replace(/;$/, "")
    .replaceAll(/(?<=[<(]) |,? (?=[>)])/g, "");
  return /^\w+\?/.test(plain) ? plain.replaceAll(" | undefined", "").replace("?: | ", "?: ") : plain;
};

const comment = (symbol: ts.Symbol) => ts.displayPartsToString(symbol.getDocumentationComment(checker));
const code = (text: string) => `\`\`\`ts\n${text.replaceAll(/\b(?:export|readonly) /g, "")}\n\`\`\``;
const join = (parts: readonly (string | undefined)[]) => parts.filter(Boolean).join("\n\n");
