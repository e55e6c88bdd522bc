import plugin from "../../tasks/index.ts";
import { type Option, options, type TaskName } from "../../tasks/options.ts";

/** Describes every task of the plugin with its options. */
export async function describeTasks(): Promise<string> {
  const sections = (Object.keys(options) as TaskName[]).sort().map((name) => {
    const task = plugin.tasks?.find(({ id }) => id.join(" ") === `identity ${name}`);
    const items = Object.entries<Option>(options[name]).map(
      ([option, what]) => `- ${describeOption(option, what)}`,
    );
    return `## identity ${name}\n\n${Object(task).description}.\n\n${items.join("\n")}`;
  });
  return `# Task reference

Run each task as \`npx hardhat <task>\`. [Using the tasks](../tasks.md) shows them together. Every task also takes
\`--json\`, to print one line of JSON.

${sections.join("\n\n")}
`;
}

function describeOption(name: string, what: Option): string {
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (typeof what === "string") return `\`${flag} <…>\`: ${what}`;
  return "flag" in what ? `\`${flag}\`: ${what.flag}` : `\`<${name}>\`: ${what.positional}`;
}
