import { InvalidInputError } from "../../protocol/errors.ts";

/** An option that must be given. */
export function requireOption(name: string, value: string | undefined): string {
  if (value === undefined || value === "") throw new InvalidInputError(`${name} is missing.`);
  return value;
}
