import { membersOf } from "./json.ts";

/** The code of an error of the system or of Node, such as `ENOENT`; `unknown` if it has none. */
export function systemErrorCode(error: unknown): string {
  const { code } = membersOf(error);
  return typeof code === "string" ? code : "unknown";
}
