import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { styleText } from "node:util";
import { expect } from "chai";
import { makeVisible, print, printError, style, visible, visibleLine } from "../../packages/console/print.ts";
import { development } from "../../packages/protocol/development.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { setEnvironment } from "../fixtures/environment.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { replace } from "../fixtures/replace.ts";
import { engines } from "../fixtures/signer/stores.ts";
import { root, runHardhat } from "../fixtures/tasks/hardhat.ts";
import { runIdentitySigner } from "../fixtures/tasks/identitySigner.ts";

/** Clears the line before, says something else, and hides what follows. */
const forged = "x\u001b[1A\u001b[2K0 entries: nothing is wrong.\r\u009b8m\u202e\nnothing is wrong";

/** Whatever a terminal would obey, but line breaks. */
const obeyed = /(?!\n)[\p{Cc}\p{Bidi_Control}]/u;

describe("The output of commands and tasks", () => {
  it("shows control characters as escapes, and keeps line breaks", () => {
    expect(visible("a\u001b[8mb\u001b]0;c\u0007\r\u009b2K\u202e")).to.equal(
      "a\\u001b[8mb\\u001b]0;c\\u0007\\u000d\\u009b2K\\u202e",
    );
    const harmless = "\tthere\nand Zoë 🧑‍🚀";
    expect(visible(harmless)).to.equal(harmless);
    expect(visibleLine("one\ntwo")).to.equal("one\\u000atwo");
  });

  it("has our own colours, and shows those in anybody else's text as escapes", () => {
    setEnvironment({ FORCE_COLOR: "1" });
    const green = styleText("green", "Valid", { validateStream: false });
    for (const [name, write] of [
      ["log", print],
      ["error", printError],
    ] as const) {
      const written: unknown[] = [];
      replace(console, name, (text: string) => void written.push(text));
      write(`${style("red", `refused: ${green}`)} ${green}`);
      write(visibleLine(style("bold", style("red", "refused"))));
      const own = (format: "red" | "bold", text: string) =>
        styleText(format, text, { validateStream: false });
      const escaped = green.replaceAll("\u001b", "\\u001b");
      expect(written).to.deep.equal([
        `${own("red", `refused: ${escaped}`)} ${escaped}`,
        own("bold", own("red", "refused")),
      ]);
    }
  });

  it("goes nowhere once its reader has closed the pipe, and the program goes on", () => {
    const module = JSON.stringify(join(root, "packages/console/print.ts"));
    const script = `const { print, printError } = await import(${module});
for (let i = 0; i < 3; i++) {
  print("line ".repeat(50_000));
  printError("line ".repeat(50_000));
  await new Promise((resolve) => setTimeout(resolve, 50));
}
process.exitCode = 7;`;
    const pipe = '("$@"; echo $? >&3) 2> >(head -c 1 >&2) | head -c 1';
    const args = ["-c", pipe, "bash", process.execPath, "--input-type=module", "-e", script];
    const { output } = spawnSync("bash", args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    expect(output).to.deep.equal([null, "l", "l", "7\n"]);
  });

  it("escapes control characters on both outputs", () => {
    for (const [name, write] of [
      ["log", print],
      ["error", printError],
    ] as const) {
      const written: unknown[] = [];
      replace(console, name, (...texts: unknown[]) => void written.push(...texts));
      write(forged);
      expect(written).to.have.length(1);
      expect(written[0]).to.include("\\u001b[2K").and.not.match(obeyed);
    }
  });

  it("escapes control characters in JSON without changing its value", () => {
    expect(JSON.parse(visible(JSON.stringify({ forged })))).to.deep.equal({ forged });
  });

  it("escapes control characters of an error and its causes", () => {
    const error = makeVisible(new Error(forged, { cause: new Error(forged) }));
    for (const each of [error, error.cause as Error]) {
      expect(each.message).not.to.match(obeyed);
      expect(each.stack).not.to.match(obeyed);
    }
  });

  it("prints through one module only", () => {
    const files = globSync(
      [
        "{packages/{attack,console,registry},tasks}/**/*.ts",
        "packages/dev/{actions,internal}/**/*.ts",
        "packages/operator/{cli,operations}/**/*.ts",
      ],
      {
        cwd: root,
      },
    );
    const writers = files.filter((file) =>
      /\bconsole\.(?:log|error|info|warn)\(|\.write\((?!visible|`\$\{visible)/.test(
        readFileSync(join(root, file), "utf8"),
      ),
    );
    expect(writers).to.deep.equal(["packages/console/print.ts"]);
    const actions = globSync("{tasks,packages/*}/actions/*.ts", { cwd: root }).filter(
      (file) =>
        !/\b(?:reporting|orError|withNode|runSuper)(?:<.*>)?\(/.test(readFileSync(join(root, file), "utf8")),
    );
    expect(actions).to.deep.equal([]);
  });

  for (const [engine, createDatabase] of Object.entries(engines)) {
    it(`hides no problem behind what somebody wrote to ${engine}`, async () => {
      const { databaseUrl, query } = await createDatabase();
      const { masterSecret } = development;
      const store = await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 });
      await store.endSessions();
      await store.close();
      await query(`update audit set writer = '${forged}' where number = 0`);
      const env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_SECRET: masterSecret };
      for (const command of ["verify", "list"]) {
        const { code, stdout, output } = await runIdentitySigner(["audit", command], env);
        expect(code).to.equal(1);
        expect(output).not.to.match(obeyed);
        expect(output).to.include("\\u001b[2K0 entries");
        if (command === "verify") expect(stdout).to.match(/ problems\.\n$/);
        expect(output).not.to.match(/^nothing is wrong/m);
      }
    });
  }

  it("escapes control characters in pins and in a node's error", async () => {
    const [createDatabase] = Object.values(engines);
    if (createDatabase === undefined) throw new Error("There is no engine.");
    const { databaseUrl, query } = await createDatabase();
    const { masterSecret } = development;
    const store = await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 });
    await store.close();
    await query(`insert into pins values (1, '${forged}', '0x${"ab".repeat(32)}', '0', 0, 0, 0)`);
    const env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_SECRET: masterSecret };
    const listed = await runIdentitySigner(["pins", "list"], env);
    expect(listed.stdout).to.include("\\u001b[2K");
    expect(listed.output).not.to.match(obeyed);
    const { url } = await serveHttp(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const { id, method } = JSON.parse(body);
      const answer =
        method === "eth_chainId" ? { result: "0x14a34" } : { error: { code: -32000, message: forged } };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
    const asked = await runHardhat(
      ["identity", "signers", "list", "--registry", `0x${"12".repeat(20)}`, "--network", "baseSepolia"],
      { env: { BASE_SEPOLIA_RPC_URL: url, DEPLOYER_PRIVATE_KEY: `0x${"12".repeat(32)}` } },
    );
    expect(asked.code).to.equal(1);
    expect(asked.stderr).to.include("\\u001b[2K");
    expect(asked.stdout + asked.stderr).not.to.match(obeyed);
  });
});
