import type { TaskDefinition } from "hardhat/types/tasks";
import plugin from "../../tasks/index.ts";
import { table } from "./markdown.ts";

const kebabCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Describes every task of the plugin with its options. */
export async function describeTasks(): Promise<string> {
  const sections = (plugin.tasks ?? []).map(describe).filter((section) => section !== undefined);
  return `# Task reference

Run each task as \`npx hardhat <task>\`. [Using the tasks](../tasks.md) shows them together.

${sections.sort().join("\n\n")}
`;
}

function describe(task: TaskDefinition): string | undefined {
  const { id, type } = task;
  if (id[0] !== "identity" || type === "EMPTY_TASK") return undefined;
  const about = "description" in task ? task.description : "";
  const options = "options" in task ? Object.values(task.options) : [];
  const rows = options.map(({ name, type, description }) => [
    `\`--${kebabCase(name)}${type === "FLAG" ? "" : " <…>"}\``,
    description,
  ]);
  return `## ${id.join(" ")}\n\n${about}.\n\n${table(["option", "what it is"], rows)}`;
}
