import type { TaskDefinition } from "hardhat/types/tasks";
import plugin from "../../tasks/index.ts";
import { table } from "./markdown.ts";

const kebabCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Describes every task of the plugin with its options. */
export async function describeTasks(): Promise<string> {
  const tasks = (plugin.tasks ?? []).filter(({ id, type }) => id[0] === "identity" && type !== "EMPTY_TASK");
  const all = tasks.flatMap(rowsOf);
  const isCommon = (row: Row) => all.filter((each) => `${each}` === `${row}`).length > tasks.length / 2;
  const common = new Map(all.filter(isCommon).map((row) => [`${row}`, row]));
  const sections = tasks.map((task) => {
    const about = "description" in task ? task.description : "";
    const own = rowsOf(task).filter((row) => !isCommon(row));
    return [`## ${task.id.join(" ")}`, `${about}.`, ...(own.length > 0 ? [tableOf(own)] : [])].join("\n\n");
  });
  return `# Task reference

Run each task as \`npx hardhat <task>\`. [Using the tasks](../tasks.md) shows them together. Most tasks take these options:

${tableOf([...common.values()])}

${sections.sort().join("\n\n")}
`;
}

type Row = readonly [option: string, description: string];

const tableOf = (rows: readonly Row[]) =>
  table(
    ["option", "what it is"],
    rows.map((row) => [...row]),
  );

function rowsOf(task: TaskDefinition): Row[] {
  const options = "options" in task ? Object.values(task.options) : [];
  return options.map(({ name, type, description }) => [
    `\`--${kebabCase(name)}${type === "FLAG" ? "" : " <…>"}\``,
    description,
  ]);
}
