import { type ServiceErrorCode, serviceErrors } from "../../protocol/errors.ts";
import { document } from "../../signer/internal/http/openapi.ts";
import { table } from "./markdown.ts";

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
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
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

The endpoints of the service. \`GET /openapi.json\` has the same for programs. [Service errors](../errors/service.md)
explains every error code.

${endpoints.join("\n\n")}

## Shapes

${shapes.join("\n\n")}
`;
}

function describeOperation(title: string, { requestBody, responses }: Operation): string {
  const body = requestBody ? `Takes ${describeContent(requestBody.content)}.\n\n` : "";
  const rows = Object.entries(responses).map(([status, { description, content }]) => [
    status,
    description
      .split(", ")
      .map((word) => (isCode(word) ? `\`${word}\`` : word))
      .join(", "),
    content ? describeContent(content) : "",
  ]);
  return `## ${title}\n\n${body}${table(["status", "what it says", "body"], rows)}`;
}

const isCode = (word: string): word is ServiceErrorCode => word in serviceErrors;

const describeContent = (content: Content) =>
  Object.entries(content)
    .map(([type, { schema }]) => `${describeType(schema)} (\`${type}\`)`)
    .join(" or ");

function describeShape(name: string, schema: Schema): string {
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties ?? {}).map(([member, shape]) => [
    `\`${member}\`${required.has(member) ? "" : " (optional)"}`,
    describeType(shape),
    shape.description ?? "",
  ]);
  const about = schema.description === undefined ? "" : `${schema.description}\n\n`;
  const members = rows.length === 0 ? describeType(schema) : table(["member", "type", "what it is"], rows);
  return `### ${name}\n\n${about}${members}`;
}

function describeType(schema: Schema): string {
  const { $ref, anyOf, enum: values, const: value, items, additionalProperties } = schema;
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1) ?? "";
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (anyOf !== undefined) return anyOf.map(describeType).join(" or ");
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (values !== undefined) return values.map((each) => `\`${each}\``).join(" ");
  if (items !== undefined) return `array of ${describeType(items)}`;
  if (typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0) {
    return `object whose values are ${describeType(additionalProperties)}`;
  }
  const { type = "any", pattern, minimum, maximum } = schema;
  const limits = [
    pattern && `\`${pattern}\``,
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && `to ${maximum}`,
  ].filter(Boolean);
  return [[type].flat().join(" or "), ...limits].join(", ");
}
