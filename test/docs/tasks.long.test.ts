import { exec } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import { readSnippets, splitCommands } from "../fixtures/markdown.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { serveStackWithDemo } from "../fixtures/signer/stack.ts";
import { announce } from "../fixtures/tasks/announcedStack.ts";
import { cleanEnvironment, hardhatCommand } from "../fixtures/tasks/hardhat.ts";

/** The commands that the guides show for the running stack, in order. */
const commands = ["tasks", "storage", "wallet"].flatMap((guide) =>
  readSnippets(`docs/${guide}.md`)
    .filter(({ language, text }) => language === "sh" && text.includes("npx hardhat identity "))
    .flatMap(({ text }) => splitCommands(text))
    // `dev` runs until it is stopped, and `init` needs a project with a toolbox: test/tasks/ has their own tests.
    .filter((command) => !/^npx hardhat identity (dev|init)\b/.test(command)),
);

describe("The commands of the guides", () => {
  it("has guides whose commands work in somebody else's project, with the running stack", async () => {
    const stack = await serveStackWithDemo();
    const { consumers, user, registry, rpcUrl, url: signerUrl } = stack;
    const { databaseUrl } = stack.service.config;
    const port = announce({ rpcUrl, signerUrl, registry, consumers, databaseUrl });
    // Not before the ballot's cutoff block: each block of a local chain is a second later than the one before.
    const authenticatedAt = (await stack.provider.getBlock("latest"))?.timestamp ?? 0;
    const traits = { follower_count: "5000", video_count: "3" };
    const voter = { provider: "short_video", accountId: "voter", traits };
    await stack.store.set({ ...voter, wallet: user, authenticatedAt });

    const project = freshProject();
    project.write(
      "hardhat.config.ts",
      'import hardhatIdentity from "hardhat-identity";\nexport default { plugins: [hardhatIdentity] };\n',
    );
    project.write("batch.json", JSON.stringify([{ to: user, value: "0x1" }]));
    const [node, [cli = ""]] = hardhatCommand([]);

    let minted: Record<string, unknown> = {};
    for (const command of commands) {
      const consumer = command.includes("vote(") ? consumers.Ballot : consumers.Airdrop;
      const filled = command
        .replace(/(--consumer|--address) 0x…/, `$1 ${consumer}`)
        .replace(/(--user|--wallet) 0x…/, `$1 ${user}`)
        .replace(/(--identity-hash|--identity-used) 0x…/, `$1 ${minted.identityHash}`)
        .replace("--expiration 1900000000", `--expiration ${minted.expiration}`)
        .replace("--signature 0x…", `--signature ${minted.signature}`)
        .replace("npx hardhat", `"${node}" "${cli}"`);
      const json = filled.includes("--json") ? "" : " --json";
      const ran = promisify(exec)(`${filled} --port ${port}${json}`, {
        cwd: project.folder,
        env: cleanEnvironment(),
      });
      const { stdout } = await ran.catch((error) =>
        expect.fail(`${command}\n${error.stdout}${error.stderr}`),
      );
      if (command.includes(" mint ")) minted = JSON.parse(stdout);
    }
    expect(commands).to.have.length(11);
  }).timeout(400_000);
});
