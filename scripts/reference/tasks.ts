import plugin from "../../tasks/index.ts";
import { type Option, options, type TaskName } from "../../tasks/options.ts";

/** Describes every task of the plugin with its options; those that several tasks share stand once. */
export async function describeTasks(): Promise<string> {
  const names = (Object.keys(options) as TaskName[]).sort();
  const lines = (name: TaskName) =>
    Object.entries<Option>(options[name]).map(([option, what]) => describeOption(option, what));
  const all = names.flatMap(lines);
  const countOf = (line: string) => all.filter((each) => each === line).length;
  const flagOf = (line: string) => /^`\S+`/.exec(line)?.[0] ?? "";
  // An option that means different things at different tasks is shared in its commonest meaning.
  const shared = [...new Set(all)]
    .filter((line) => countOf(line) > 1)
    .sort((a, b) => countOf(b) - countOf(a))
    .filter((line, at, lines) => lines.findIndex((each) => flagOf(each) === flagOf(line)) === at);
  const whereNot = (line: string) =>
    `at every task but ${new Intl.ListFormat("en-GB").format(names.filter((name) => !lines(name).includes(line)))}`;
  const sections = names.map((name) => {
    const task = plugin.tasks?.find(({ id }) => id.join(" ") === `identity ${name}`);
    const own = lines(name).filter((line) => !shared.includes(line));
    const also = lines(name).filter((line) => shared.includes(line) && flagOf(line) !== "`--port`");
    const items = own.map((line) => `- ${line}`).join("\n");
    const rest = also.length === 0 ? "" : `- ${also.map(flagOf).join(", ")}: [shared](#shared-options)`;
    return `## identity ${name}\n\n${Object(task).description}.\n\n${items}\n${rest}`;
  });
  return `# Task reference

Run each task as \`npx hardhat <task>\`. [Using the tasks](../tasks.md) gives an overview. An option takes a value, unless
marked as a flag.

## Shared options

- \`--json\` (flag, at every task): Print one line of JSON
${shared.map((line) => `- ${line.replace("`--port`:", `\`--port\` (${whereNot(line)}):`)}`).join("\n")}

${sections.join("\n\n")}
`;
}

function describeOption(name: string, what: Option): string {
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (typeof what === "string") return `\`${flag}\`: ${what}`;
  return "flag" in what ? `\`${flag}\` (flag): ${what.flag}` : `\`<${name}>\`: ${what.positional}`;
}
