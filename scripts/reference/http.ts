import { serviceErrors } from "../../packages/protocol/errors.ts";
import { document } from "../../signer/internal/http/openapi.ts";

interface Operation {
  readonly description?: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** Describes every endpoint and the schemas of its requests and responses, from the OpenAPI document. */
export async function describeHttp(): Promise<string> {
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) =>
      describeOperation(`${method.toUpperCase()} ${path}`, operation),
    ),
  );
  const shapes = Object.entries(document.components.schemas).map(([name, schema]) =>
    describeShape(name, schema as Schema),
  );
  return `# HTTP API

\`GET /openapi.json\` has the same for programs, with formats and limits. Every error is a
[Problem](#problem) of the type \`application/problem+json\`. Any origin may call \`/v1\`,
\`/.well-known\` and \`/openapi.json\` (CORS).

${endpoints.join("\n\n")}

## Shapes

${shapes.join("\n\n")}
`;
}

function describeOperation(title: string, { requestBody, responses }: Operation): string {
  const body = requestBody ? `Takes ${describeContent(requestBody.content)}.\n\n` : "";
  const items = Object.entries(responses)
    .filter(([status]) => status !== "default")
    .map(([status, { description, content }]) => {
      const codes = description.split(", ");
      return codes.every(isCode)
        ? `- ${status}: ${codes.map((code) => `[\`${code}\`](../errors/service.md#${code})`).join(", ")}`
        : `- ${status}${content ? `, ${describeContent(content)}` : ""}: ${description}`;
    });
  return `## ${title}\n\n${body}${items.join("\n")}`;
}

const isCode = (word: string) => word in serviceErrors;

const describeContent = (content: Content) =>
  Object.entries(content)
    .map(([type, { schema }]) => (type === "application/json" ? describeType(schema) : `\`${type}\``))
    .join(" or ");

const describeShape = (name: string, schema: Schema): string =>
  `### ${name}\n\n${listMembers(schema).join("\n") || describeType(schema)}`;

/** Lists the members of an object, and below them those of the objects in them. */
function listMembers({ properties = {}, required = [] }: Schema): string[] {
  return Object.entries(properties).flatMap(([member, shape]) => {
    const about = shape.description === undefined ? "" : `: ${shape.description}`;
    const mark = required.includes(member) ? "" : "?";
    const inner = listMembers(shape.items ?? shape).map((line) => `  ${line}`);
    return [`- \`${member}${mark}\`, ${describeType(shape)}${about}`, ...inner];
  });
}

function describeType(schema: Schema): string {
  const { $ref, anyOf, enum: values, const: value, items, additionalProperties } = schema;
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1) ?? "";
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (anyOf !== undefined) return anyOf.map(describeType).join(" or ");
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (values?.every((each) => isCode(`${each}`))) return "an error code";
  if (values !== undefined) return values.map((each) => `\`${each}\``).join(" ");
  if (items !== undefined) return `array of ${describeType(items)}`;
  if (typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0) {
    return `object whose values are ${describeType(additionalProperties)}`;
  }
  return [schema.type ?? "any"].flat().join(" or ");
}
