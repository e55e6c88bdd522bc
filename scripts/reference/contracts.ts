import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

interface Definition {
  readonly nodeType: string;
  readonly name: string;
  readonly kind?: string;
  readonly visibility?: string;
  readonly documentation?: { readonly text: string };
  readonly body?: { readonly src: string } | null;
  /** Offset and length in the file, in bytes. */
  readonly src: string;
}
interface Contract extends Definition {
  readonly contractKind: string;
  readonly nodes: readonly Definition[];
  readonly baseContracts: readonly { readonly baseName: { readonly name: string } }[];
  readonly file: string;
  readonly source: Buffer;
}

/** The contracts that other projects extend, call and test with. */
const sources = ["*.sol", "interfaces/*.sol", "testing/*.sol"];

/** Describes every contract, interface and library with its declarations, from the NatSpec. */
export async function describeContracts(): Promise<string> {
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: "contracts" }).sort());
  const contracts = files.flatMap(parse);
  const sections = contracts
    .filter((contract) => readTags(contract).title !== undefined)
    .map(describeContract);
  return `# Contract API

The contracts of \`@hardhat-identity/contracts\`. [Writing a consumer](../contracts.md) is the guide.

${sections.join("\n\n")}
`;
}

/** Parses the contracts of a file, in order, without compiling them. */
function parse(file: string): Contract[] {
  const source = readFileSync(`contracts/${file}`);
  const input = {
    language: "Solidity",
    sources: { [file]: { content: source.toString() } },
    settings: { stopAfter: "parsing", outputSelection: { "*": { "": ["ast"] } } },
  };
  const solc: { compile(input: string): string } = require("solc");
  const nodes: Contract[] = JSON.parse(solc.compile(JSON.stringify(input))).sources[file].ast.nodes;
  return nodes
    .filter(({ nodeType }) => nodeType === "ContractDefinition")
    .map((contract) => ({ ...contract, file, source }));
}

function describeContract(contract: Contract): string {
  const { title, notice, dev } = readTags(contract);
  const bases = contract.baseContracts.map(({ baseName }) => `\`${baseName.name}\``);
  const members = contract.nodes.filter(({ visibility }) => visibility !== "private");
  const short = members.filter((member) => isShort(member, contract));
  const functions = members.filter(
    (member) =>
      isFunction(member) && !short.includes(member) && baseOf(member) === undefined && !isPassingOn(member),
  );
  const titles = new Set(functions.map(titleOf));
  return [
    `## ${contract.name}`,
    `\`@hardhat-identity/contracts/${contract.file}\``,
    title === contract.name ? "" : `${title}.`,
    bases.length === 0 ? "" : `Extends ${bases.join(", ")}.`,
    // The guides have the examples.
    notice?.replaceAll(/```.*?```/gs, "").trim(),
    dev,
    listInherited(members),
    listErrors(members),
    members
      .filter((member) => short.includes(member) || !(isFunction(member) || isError(member)))
      .flatMap((member) => listItem(member, contract))
      .join("\n"),
    ...[...titles].map((title) =>
      describeFunction(
        title,
        functions.filter((each) => titleOf(each) === title),
        contract,
      ),
    ),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** The names of inherited tests say everything. */
const isFunction = ({ nodeType, name }: Definition) =>
  nodeType === "FunctionDefinition" && !name.startsWith("test_");

const titleOf = ({ name, kind }: Definition) => name || `${kind}`;

/** Whether a constructor's parameters are documented at a base. */
const isPassingOn = (member: Definition) =>
  member.kind === "constructor" && readTags(member).lists.length === 0;

const baseOf = ({ documentation }: Definition) => /@inheritdoc (\w+)/.exec(documentation?.text ?? "")?.[1];

/** Links to the members that a base documents. */
function listInherited(members: readonly Definition[]): string {
  const inherited = members.filter((member) => baseOf(member) !== undefined);
  const names = inherited.map((member) => `[\`${member.name}\`](#${member.name.toLowerCase()})`);
  return names.length === 0 ? "" : `Implements ${names.join(", ")}.`;
}

const isError = ({ nodeType }: Definition) => nodeType === "ErrorDefinition";

/** Links to the page that explains every error. */
function listErrors(members: readonly Definition[]): string {
  const links = members
    .filter(isError)
    .map(({ name }) => `[\`${name}\`](../errors/contract.md#${name.toLowerCase()})`);
  return links.length === 0 ? "" : `Errors: ${links.join(", ")}.`;
}

/** A declaration in a line, without what all of a library's have; nothing for what has no comment, which is internal. */
function listItem(member: Definition, { source }: Contract): string[] {
  const { notice } = readTags(member);
  const signature = readSignature(member, source).replaceAll(/^function | internal(?: view| pure)?/g, "");
  return notice === undefined ? [] : [`- \`${signature}\`: ${notice.replaceAll("\n", " ")}`];
}

function describeFunction(title: string, overloads: readonly Definition[], { source }: Contract): string {
  const parts = overloads.flatMap((each) => {
    const { notice, dev, lists } = readTags(each);
    const code = `\`\`\`solidity\n${breakLine(readSignature(each, source))}\n\`\`\``;
    return [code, notice, dev, lists.join("\n")];
  });
  return [`### ${title}`, ...parts].filter(Boolean).join("\n\n");
}

/** Whether a sentence says everything of a library's function. Nothing links to those. */
const isShort = (member: Definition, { contractKind }: Contract) =>
  contractKind === "library" && isFunction(member) && readTags(member).lists.length === 0;

/** Gives each parameter a line of its own where a declaration is wider than a page. */
function breakLine(signature: string): string {
  const [, start, parameters = "", end] = /^(.+?\()(.+?)(\).*)$/.exec(signature) ?? [];
  return signature.length <= 84 || start === undefined
    ? signature
    : `${start}\n  ${parameters.replaceAll(", ", ",\n  ")}\n${end}`;
}

/** Reads a declaration from the source, without its body. */
function readSignature({ src, body }: Definition, source: Buffer): string {
  const [start = 0, length = 0] = src.split(":").map(Number);
  const end = body ? Number(body.src.split(":")[0]) : start + length;
  const text = source.subarray(start, end).toString().trim().replace(/;$/, "");
  return text.replaceAll(/\s+/g, " ").replaceAll("( ", "(").replaceAll(" )", ")");
}

function readTags({ documentation }: Definition) {
  const plain = (documentation?.text ?? "").replaceAll(/\{(\w+)\}/g, "`$1`").replaceAll(/\n /g, "\n");
  const tags = [...plain.matchAll(/@([\w:-]+) ([^@]*(?:@(?![a-z])[^@]*)*)/g)].map(
    ([, tag = "", text = ""]) => [tag, text.trim()] as const,
  );
  const text = (wanted: string) =>
    tags
      .find(([tag]) => tag === wanted)?.[1]
      .replaceAll(/\n +/g, "\n")
      .replaceAll(/\{(\w+)\}/g, "`$1`");
  const lists = tags
    .map(([tag, text]) => [tag, text.replaceAll(/\s+/g, " ")] as const)
    .flatMap(([tag, text]) => {
      if (tag === "param") return [`- \`${text.split(" ")[0]}\`: ${text.slice(text.indexOf(" ") + 1)}`];
      return tag === "return"
        ? [`- returns \`${text.split(" ")[0]}\`: ${text.slice(text.indexOf(" ") + 1)}`]
        : [];
    });
  return { title: text("title"), notice: text("notice"), dev: text("dev"), lists };
}
