import { settingGroups } from "../../packages/operator/settings.ts";
import { describeSetting } from "../../signer/settings.ts";

/** Describes every setting of the service, from the one place where each is defined. */
export async function describeSettings(): Promise<string> {
  const groups = Object.entries(settingGroups).map(([purpose, group]) => {
    const rows = Object.entries(group).map(([name, schema]) => {
      const { what, byDefault, isSecret } = describeSetting(schema);
      const optional = byDefault === "none" ? [] : [`default: ${byDefault}`];
      const value = byDefault === "" ? ["required"] : optional;
      const notes = [...value, ...(isSecret ? ["secret"] : [])].join(", ");
      return `- \`${name}\`${notes && ` (${notes})`}: ${what}`;
    });
    return `## ${purpose}\n\n${rows.join("\n")}\n`;
  });
  return `# Settings

Environment variables of the service. A secret can also be read [from a file](../signer.md#secrets-in-files).
[Providers](../providers.md#setting-up-a-provider) have more.

${groups.join("\n")}`;
}
