import { IdentityError } from "../identityError.ts";

/**
 * The error for an argument that cannot be used.
 *
 * @param wanted What it must be, to follow "must be".
 * @param got Shown, shortened; left out where it is a secret or too large to help.
 */
export function invalidArgument(argument: string, wanted: string, ...got: [] | [unknown]): IdentityError {
  const found = got.length === 0 ? "" : `, got ${show(got[0])}`;
  return new IdentityError("INVALID_ARGUMENT", `${argument} must be ${wanted}${found}.`, { argument });
}

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? JSON.stringify(value) : `${typeof value} ${String(value)}`;
  return text.length > 90 ? `${text.slice(0, 90)}…` : text;
}
