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

const kinds: Readonly<Record<string, string>> = {
  FunctionDefinition: "function",
  EventDefinition: "event",
  ErrorDefinition: "error",
  StructDefinition: "struct",
};

/** Describes every contract, interface and library with its declarations, from the NatSpec. */
export async function describeContracts(): Promise<string> {
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: "contracts" }).sort());
  const contracts = files.flatMap(parse);
  const sections = contracts
    .filter((contract) => readTags(contract).title !== undefined)
    .map((contract) => describe(contract, contracts));
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

function describe(contract: Contract, all: readonly Contract[]): string {
  const { title, notice, dev } = readTags(contract);
  const bases = contract.baseContracts.map(({ baseName }) => `\`${baseName.name}\``);
  const members = contract.nodes
    .filter(({ nodeType, visibility }) => nodeType in kinds && visibility !== "private")
    .map((member) => describeMember(member, contract, all));
  return [
    `## ${contract.name}`,
    `\`@hardhat-identity/contracts/${contract.file}\``,
    title === contract.name ? "" : `${title}.`,
    bases.length === 0 ? "" : `Extends ${bases.join(", ")}.`,
    notice,
    dev,
    ...members,
  ]
    .filter(Boolean)
    .join("\n\n");
}

function describeMember(member: Definition, { source }: Contract, all: readonly Contract[]): string {
  const { nodeType, name, kind } = member;
  const title = kind === "constructor" ? kind : `${kinds[nodeType]} ${name}`;
  const { notice, dev, lists } = readTags(inherited(member, all));
  const about = [notice, dev].filter(Boolean).join("\n\n");
  const code = `\`\`\`solidity\n${readSignature(member, source)}\n\`\`\``;
  return [`### ${title}`, code, about, lists.join("\n")].filter(Boolean).join("\n\n");
}

/** Reads a declaration from the source, without its body. */
function readSignature({ nodeType, src, body }: Definition, source: Buffer): string {
  const [start = 0, length = 0] = src.split(":").map(Number);
  const end = body ? Number(body.src.split(":")[0]) : start + length;
  const text = source.subarray(start, end).toString().trim().replace(/;$/, "");
  return nodeType === "StructDefinition"
    ? text.replaceAll(/^ {4}/gm, "")
    : text.replaceAll(/\s+/g, " ").replaceAll("( ", "(").replaceAll(" )", ")");
}

/** Finds the member with the documentation: the base's if this one has `@inheritdoc`. */
function inherited(member: Definition, all: readonly Contract[]): Definition {
  const base = /@inheritdoc (\w+)/.exec(member.documentation?.text ?? "")?.[1];
  const nodes = all.find(({ name }) => name === base)?.nodes ?? [];
  return nodes.find(({ name }) => name === member.name) ?? member;
}

function readTags({ documentation }: Definition) {
  const tags = [...(documentation?.text ?? "").matchAll(/@([\w:-]+) ([^@]*(?:@(?![a-z])[^@]*)*)/g)].map(
    ([, tag = "", text = ""]) => [tag, text.trim()] as const,
  );
  const text = (wanted: string) => tags.find(([tag]) => tag === wanted)?.[1].replaceAll(/\n +/g, "\n");
  const lists = tags
    .map(([tag, text]) => [tag, text.replaceAll(/\s+/g, " ")] as const)
    .flatMap(([tag, text]) => {
      if (tag === "param") return [`- \`${text.split(" ")[0]}\`: ${text.slice(text.indexOf(" ") + 1)}`];
      return tag === "return" ? [`- returns: ${text}`] : [];
    });
  return { title: text("title"), notice: text("notice"), dev: text("dev"), lists };
}
