import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { fileVariable, readSecretFiles } from "@hardhat-identity/store/files/secretFiles";
import { z } from "zod";

/** Environment variables, each with the schema of its value. */
type SettingTable = Readonly<Record<string, z.ZodType>>;

/** `IDENTITY_CHAIN_ID` → `chainId` */
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<Camel<Rest>>}`
  : Lowercase<Name>;
type FieldName<Name extends string> = Name extends `IDENTITY_${infer Rest}` ? Camel<Rest> : never;

/** The values of settings by field name: `chainId` is the value of `IDENTITY_CHAIN_ID`. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Name in keyof Table & string as FieldName<Name>]: z.output<Table[Name]>;
};

/** Returns the field name of a setting. */
export const fieldName = (name: string): string =>
  name
    .replace("IDENTITY_", "")
    .toLowerCase()
    .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** A setting's description and default; "" if it is required. */
export function describeSetting(schema: z.ZodType) {
  const { description: what, default: described, isSecret = false } = schema.meta() ?? {};
  const { data = "none", success } = schema.safeParse(undefined);
  return { what, byDefault: String(described ?? (success ? data : "")), isSecret };
}

/** Settings whose values are never shown: URLs may carry a key or a password. */
const secretSettings = (table: SettingTable): string[] =>
  Object.entries(table)
    .filter(([, schema]) => describeSetting(schema).isSecret)
    .map(([name]) => name);

/** Returns all variables of a table, with those that name the files of secrets. */
export const variablesOf = (table: SettingTable): string[] =>
  Object.keys(table).concat(secretSettings(table).map(fileVariable));

/**
 * Reads settings from an environment. An empty variable counts as missing.
 *
 * @param otherSecrets Variables that are not in the table, and whose values may be in files as well.
 * @returns `complete`, the environment with secrets read from files; a line for each problem; and the values by field
 * name.
 */
export function readSettings<Table extends SettingTable>(
  env: NodeJS.Dict<string>,
  table: Table,
  otherSecrets: readonly string[] = [],
) {
  const secrets = secretSettings(table);
  const { env: complete, problems } = readSecretFiles(env, secrets.concat(otherSecrets));
  const given = Object.fromEntries(Object.keys(table).map((name) => [name, complete[name] || undefined]));
  const { data = {}, error } = z.object(table).safeParse(given);
  for (const issue of error?.issues ?? []) {
    const name = String(issue.path[0]);
    const value = given[name];
    // The problem with its file is already listed.
    if (value === undefined && env[fileVariable(name)]) continue;
    if (value === undefined) {
      const { what } = describeSetting(table[name] as z.ZodType);
      problems.push(`- ${name} is not set. It is required: ${what}.`);
      continue;
    }
    const got = secrets.includes(name) ? "what it holds (not shown)" : JSON.stringify(value);
    problems.push(`- ${name} must be ${issue.message}, not ${got}.`);
  }
  const values = Object.fromEntries(Object.entries(data).map(([name, value]) => [fieldName(name), value]));
  return { complete, problems, values: values as SettingValues<Table> };
}

/** Throws InvalidInputError with the problems, if there are any. */
export function refuseProblems(what: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new InvalidInputError(`${what} not valid:\n${problems.join("\n")}`);
}

/** Finds variables with the product's prefix that are not known. Most likely, they are misspelt. */
export function findUnknownVariables(env: NodeJS.Dict<string>, known: readonly string[]): readonly string[] {
  const set = Object.keys(env).filter((name) => env[name]);
  // Kubernetes describes each of its services by a family of variables.
  const families = set.flatMap((name) => /^(IDENTITY_\w*)SERVICE_HOST$/.exec(name)?.[1] ?? []);
  return set.filter(
    (name) =>
      name.startsWith("IDENTITY_") &&
      !known.includes(name) &&
      !families.some((family) => name.startsWith(family)),
  );
}
