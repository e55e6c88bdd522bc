import { breakLines } from "@hardhat-identity/console/breakLines";
import { describeSetting } from "@hardhat-identity/signer/settings";
import { settingGroups } from "../settings.ts";

/** Lists the settings for people by purpose, each with its default, and with a star if it is secret. */
export function describeSettings(): string {
  const names = Object.values(settingGroups).flatMap((group) => Object.keys(group));
  const width = Math.max(...names.map((name) => name.length)) + 5;
  const lines = Object.entries(settingGroups).flatMap(([purpose, group]) => [
    `\n${purpose}`,
    ...Object.entries(group).flatMap(([name, schema]) => {
      const { what, byDefault, isSecret } = describeSetting(schema);
      const words = `${what} (${byDefault === "" ? "required" : `default: ${byDefault}`})`;
      return breakLines(words.split(" "), 80 - width).map(
        (line, index) => (index === 0 ? `  ${name}${isSecret ? "*" : ""}` : "").padEnd(width) + line,
      );
    }),
  ]);
  return lines.join("\n").trim();
}
