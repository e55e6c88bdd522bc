import type { TaskDefinition } from "hardhat/types/tasks";
import plugin from "../../tasks/index.ts";

/** What an option's value is, by the option. */
const values: Readonly<Record<string, string>> = {
  abi: "file",
  account: "index|address",
  accountId: "id",
  address: "address",
  admin: "address",
  args: "json",
  atomic: "true|false",
  authenticatedAt: "seconds",
  batch: "file",
  block: "block",
  blockTime: "seconds",
  consumer: "address|name",
  data: "hex",
  demoPort: "port",
  deploy: "modules",
  deploymentId: "name",
  expiration: "seconds",
  file: "file",
  from: "file",
  fromBlock: "block",
  gasLimit: "gas",
  guardians: "addresses",
  id: "hex",
  identity: "name",
  identityHash: "hex",
  identityUsed: "hex",
  key: "name",
  kind: "claim|mint|deposit|vote",
  limit: "number",
  manager: "address",
  mappingSlot: "slot",
  name: "name",
  pace: "people/window",
  port: "port",
  position: "slot",
  provider: "name",
  readyFile: "file",
  registry: "address",
  round: "round",
  rpcPort: "port",
  sarif: "file",
  service: "url",
  signature: "hex",
  signer: "address",
  store: "file",
  submit: "function",
  timeout: "seconds",
  to: "file",
  traits: "json",
  user: "address",
  value: "wei",
  wallet: "address",
};

/** Where a task's option is something else. */
const others: Readonly<Record<string, string>> = {
  "identity credential set --wallet": "addresses",
  "identity send-calls --from": "index|address",
  "identity send-calls --to": "address",
};

const kebabCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Describes every task of the plugin with its options. */
export async function describeTasks(): Promise<string> {
  const tasks = (plugin.tasks ?? []).filter(({ id, type }) => id[0] === "identity" && type !== "EMPTY_TASK");
  const all = tasks.flatMap(optionsOf);
  const count = (option: string) => all.filter((each) => each === option).length;
  const common = new Set(all.filter((option) => count(option) > tasks.length / 2));
  /** The first task with an option that several take: the others refer to it. */
  const explained = new Map<string, string>();
  const sections = tasks
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .map((task) => {
      const own = optionsOf(task).filter((option) => !common.has(option));
      const items = own.filter((option) => !explained.has(option));
      for (const other of new Set(own.flatMap((option) => explained.get(option) ?? []))) {
        const names = own
          .filter((option) => explained.get(option) === other)
          .map((option) => option.split(":")[0]);
        items.push(`${names.join(", ")}: as for [${other}](#${other.replaceAll(" ", "-")})`);
      }
      for (const option of items) if (count(option) > 1) explained.set(option, nameOf(task));
      return `## ${nameOf(task)}\n\n${"description" in task ? task.description : ""}.\n\n${listOf(items)}`;
    });
  return `# Task reference

Run each task as \`npx hardhat <task>\`. [Using the tasks](../tasks.md) shows them together. Most tasks take these options:

${listOf([...common])}

${sections.join("\n\n")}
`;
}

const nameOf = ({ id }: TaskDefinition) => id.join(" ");

const listOf = (options: readonly string[]) => options.map((option) => `- ${option}`).join("\n");

function optionsOf(task: TaskDefinition): string[] {
  const options = "options" in task ? Object.values(task.options) : [];
  const positional = "positionalArguments" in task ? task.positionalArguments : [];
  const arguments_ = positional.map(({ name, description }) => `\`<${name}>\`: ${description}`);
  return arguments_.concat(
    options.map(({ name, type, description }) => {
      const value = others[`${nameOf(task)} --${name}`] ?? values[name];
      if (value === undefined && type !== "FLAG") throw new Error(`Say what the value of --${name} is.`);
      return `\`--${kebabCase(name)}${type === "FLAG" ? "" : ` <${value}>`}\`: ${description}`;
    }),
  );
}
