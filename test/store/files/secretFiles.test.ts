import { readdirSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { knownVariables, loadConfigs } from "../../../packages/operator/settings.ts";
import { readWatchSettings } from "../../../packages/operator/watch/settings.ts";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { describeExposure } from "../../../packages/store/files/exposure.ts";
import { requireSecretFile } from "../../../packages/store/files/secretFiles.ts";
import { giveToAnotherUser } from "../../fixtures/anotherUser.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const registry = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const secrets = {
  IDENTITY_RPC_URL: "https://node.example/key",
  IDENTITY_DATABASE_URL: "file:/var/lib/identity.sqlite",
  IDENTITY_MASTER_SECRET: `0x${"5e".repeat(32)}`,
  IDENTITY_ENCRYPTION_SECRET: `0x${"60".repeat(32)}`,
  IDENTITY_SIGNING_KEY: `0x${"5f".repeat(32)}`,
  IDENTITY_NEXT_SIGNING_KEY:
    "pkcs11:token=identity;object=signer?module-path=/usr/lib/token.so&pin-value=3141",
  IDENTITY_GUARDIAN_KEY: `0x${"61".repeat(32)}`,
  IDENTITY_WATCH_WEBHOOK: "https://hooks.example/of-a-test",
  IDENTITY_MICROBLOG_CLIENT_SECRET: "hush",
};
const others = { IDENTITY_REGISTRY: registry, IDENTITY_MICROBLOG_CLIENT_ID: "m" };

/** Returns the complaints of the service and of the watch about an environment. */
function problemsOf(env: Record<string, string>): string {
  const messages = [loadConfigs, readWatchSettings].map((load) => {
    try {
      load(env);
    } catch (error) {
      if (error instanceof InvalidInputError) return error.message;
      throw error;
    }
    throw new Error("The configuration was taken.");
  });
  return messages.join("\n");
}

describe("A secret in a file", () => {
  async function fixture() {
    const folder = await temporaryFolder();
    const files: Record<string, string> = {};
    for (const [name, value] of Object.entries(secrets)) {
      const file = join(folder, name);
      await writeFile(file, `${value}\n`, { mode: 0o600 });
      files[`${name}_FILE`] = file;
    }
    return files;
  }

  it("works like one in the environment, for every secret", async () => {
    const files = knownVariables.filter((name) => name.endsWith("_FILE") && !name.includes("_CLIENT_SECRET"));
    expect(Object.keys(await fixture())).to.include.members(files);
    for (const load of [loadConfigs, readWatchSettings]) {
      const inEnvironment = load({ ...others, ...secrets });
      expect(load({ ...others, ...(await fixture()) })).to.deep.equal(inEnvironment);
    }
  });

  it("may begin with a byte order mark, as editors on Windows write one", async () => {
    const file = join(await temporaryFolder(), "password");
    await writeFile(file, "\ufeffa password\n", { mode: 0o600 });
    expect(requireSecretFile("A_PASSWORD", file)).to.equal("a password\n");
  });

  it("may be in UTF-16, as Windows PowerShell writes what is redirected", async () => {
    const file = join(await temporaryFolder(), "password");
    await writeFile(file, "\ufeffété\r\n", { mode: 0o600, encoding: "utf16le" });
    expect(requireSecretFile("A_PASSWORD", file)).to.equal("été\r\n");
  });

  it("is refused if the environment has the same secret", async () => {
    const message = problemsOf({ ...others, ...secrets, ...(await fixture()) });
    for (const [name, value] of Object.entries(secrets)) {
      expect(message).to.include(`- Both ${name} and ${name}_FILE are set; set one of them.`);
      expect(message).not.to.include(value);
    }
  });

  it("is refused when others can read it", async () => {
    const files = await fixture();
    for (const file of Object.values(files)) await chmod(file, 0o604);
    const message = problemsOf({ ...others, ...files });
    for (const [name, file] of Object.entries(files)) {
      expect(message).to.include(`- ${name} names a file that other users`).and.include("mode 0604");
      expect(message).not.to.include(file);
    }
    const problems = message.split("\n").filter((line) => line.startsWith("- "));
    expect(new Set(problems)).to.have.property("size", Object.keys(files).length);
  });

  it("is refused when it belongs to another user", async () => {
    const files = await fixture();
    giveToAnotherUser(...Object.values(files));
    const message = problemsOf({ ...others, ...files });
    for (const [name, file] of Object.entries(files)) {
      expect(message).to.include(`- ${name} names a file that belongs to another user`);
      expect(message).not.to.include(file);
    }
  });

  it("is never shown", async () => {
    const files = await fixture();
    for (const file of Object.values(files)) await writeFile(file, "hunter2 of the file");
    expect(problemsOf({ ...others, ...files })).not.to.include("hunter2");
    const mistaken = Object.fromEntries(Object.keys(files).map((name) => [name, "hunter2"]));
    const message = problemsOf({ ...others, ...mistaken });
    for (const name of Object.keys(files)) {
      expect(message).to.include(`- ${name} names a file that cannot be read (ENOENT)`);
    }
    expect(message).not.to.include("hunter2");
    const directory = problemsOf({ ...others, ...files, IDENTITY_MASTER_SECRET_FILE: "/" });
    expect(directory).to.include("- IDENTITY_MASTER_SECRET_FILE names a file that");
  });
});

describe("Reading the files of secrets", () => {
  it("leaves no file open, whatever is wrong with it", async () => {
    const folder = await temporaryFolder();
    const files: [name: string, content: string, mode: number][] = [
      ["good", "hush", 0o600],
      ["empty", " ", 0o600],
      ["exposed", "hush", 0o644],
    ];
    const countOpen = () => readdirSync("/dev/fd").length;
    const before = countOpen();
    for (const [name, content, mode] of files) {
      const file = join(folder, name);
      await writeFile(file, content, { mode });
      for (let i = 0; i < 20; i++) {
        const read = () => requireSecretFile("IDENTITY_MASTER_SECRET_FILE", file);
        if (name === "good") expect(read()).to.equal(content);
        else expect(read).to.throw(InvalidInputError);
      }
    }
    expect(countOpen() - before).to.be.below(20);
  });
});

describe("The mode of a file with a secret", () => {
  it("permits its owner only, and the group if root owns it", () => {
    const own = process.getuid?.() ?? 0;
    const isRoot = own === 0;
    for (const [mode, uid, good] of [
      [0o100600, own, true],
      [0o100400, own, true],
      [0o010600, own, true],
      [0o100640, own, false],
      [0o100604, own, false],
      [0o100620, own, false],
      [0o100600, 0, true],
      [0o100440, 0, !isRoot],
      [0o100444, 0, false],
      [0o100460, 0, false],
    ] as const) {
      expect(describeExposure({ mode, uid }), mode.toString(8)).to[good ? "equal" : "include"](
        good ? undefined : "other users can",
      );
    }
  });

  it("does not matter if another user owns the file, even for root", () => {
    const own = process.getuid?.() ?? 0;
    for (const mode of [0o100600, 0o100400]) {
      expect(describeExposure({ mode, uid: own + 1 })).to.include("belongs to another user");
    }
  });
});
