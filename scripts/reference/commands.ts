import { describeCommand, describeCommands } from "../../signer/cli/commands.ts";

/** Shows what `identity-signer --help` prints, of all commands and of each. */
export async function describeCommandLine(): Promise<string> {
  const all = describeCommands();
  const names = [...all.matchAll(/^ {2}(\S+(?: [a-z]+)?) {2,}/gm)].map(([, name = ""]) => name);
  const texts = names.map((name) => describeCommand([...name.split(" "), "--help"]));
  return `# Commands of identity-signer

Run each as \`npx identity-signer <command>\`. [Running a service](../signer.md) gives an overview.

${[all, ...texts].map((text) => `\`\`\`text\n${text}\n\`\`\``).join("\n\n")}
`;
}
