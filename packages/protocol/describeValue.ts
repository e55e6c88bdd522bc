import { JsonNumber } from "./json.ts";

/** Describes a value of any type and size in a few words, to follow "got". */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(shorten(value));
  if (value instanceof JsonNumber) return shorten(value.source);
  if (typeof value === "bigint") return `${shorten(String(value))}n`;
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return shorten(String(value));
  if (Array.isArray(value)) return "an array";
  const { name } = Object(Object.getPrototypeOf(value)?.constructor);
  return typeof name === "string" && name !== "Object" ? `an object of class ${name}` : "an object";
}

const shorten = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
