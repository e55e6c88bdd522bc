import { type SettingName, settings } from "../../signer/internal/config/settings.ts";

/** Describes every setting of the service, from the one place where each is defined. */
export async function describeSettings(): Promise<string> {
  const rows = (Object.keys(settings) as SettingName[]).map((name) => {
    const { what, default: byDefault, isSecret } = settings[name];
    const value = byDefault === "" ? ["required"] : byDefault === "none" ? [] : [`default: ${byDefault}`];
    const notes = [...value, ...(isSecret ? ["secret"] : [])].join(", ");
    return `- \`${name}\`${notes && ` (${notes})`}: ${what}`;
  });
  return `# Settings

The service's environment variables, without a default unless one is shown. A secret can also be read [from a file](../signer.md#secrets-in-files).
[Providers](../providers.md#setting-one-up) have more.

${rows.join("\n")}
`;
}
