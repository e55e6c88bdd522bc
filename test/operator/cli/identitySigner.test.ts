import { spawnSync } from "node:child_process";
import { existsSync, openSync } from "node:fs";
import { copyFile, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { decryptKeystoreJson } from "ethers";
import { settingGroups } from "../../../packages/operator/settings.ts";
import { openCredentialStore } from "../../../signer/index.ts";
import { describeSetting } from "../../../signer/settings.ts";
import { expectKept } from "../../fixtures/keptText.ts";
import { sharedPostgres, withClient } from "../../fixtures/signer/postgres.ts";
import { alice, bob, credential } from "../../fixtures/signer/stores.ts";
import { skip } from "../../fixtures/skip.ts";
import { root } from "../../fixtures/tasks/hardhat.ts";
import {
  identitySignerCommand,
  runIdentitySigner,
  runIdentitySignerProcess,
} from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const masterSecret = `0x${"5e".repeat(32)}`;
const run = (args: readonly string[], env: NodeJS.ProcessEnv) =>
  runIdentitySigner(args, { IDENTITY_MASTER_SECRET: masterSecret, ...env });

describe("identity-signer", function () {
  this.timeout(60_000);

  it("refuses an unknown command or option, and names the one that was meant", async () => {
    for (const [args, said] of [
      [["serve"], '"serve" is not a command.\nnpx --no -- identity-signer --help lists the commands.\n'],
      [
        ["back"],
        '"back" is not a command. Did you mean backup?\nnpx --no -- identity-signer --help lists the commands.\n',
      ],
      [
        ["migrate", "--state"],
        "There is no --state. Did you mean --status?\nidentity-signer migrate --help shows the options.\n",
      ],
      [
        ["watch", "--one"],
        "There is no --one. Did you mean --once?\nidentity-signer watch --help shows the options.\n",
      ],
      [
        ["sessions", "end", alice],
        `Unexpected argument '${alice}'. This command does not take positional arguments\nidentity-signer sessions end --help shows the options.\n`,
      ],
    ] as const) {
      const { code, output } = await run(args, {});
      expect([code, output]).to.deep.equal([args[0] === "watch" ? 2 : 1, said]);
    }
  });

  it("lists the commands of audit where none or a mistyped one is given", async () => {
    const commands = [
      "  identity-signer audit list    Print the audit trail",
      "  identity-signer audit report  Count signatures and refusals by day",
      "  identity-signer audit verify  Find entries that were removed or altered",
      "",
    ].join("\n");
    const none = await run(["audit"], {});
    expect(none).to.include({ code: 1, output: `Say what to do after audit:\n${commands}` });
    const mistyped = await run(["audit", "very"], {});
    expect(mistyped.output).to.equal(`"very" is not a command of audit. Did you mean verify?\n${commands}`);
    expect((await run(["serve", "--help"], {})).output).to.match(/^"serve" is not a command\.\n/);
    for (const group of ["audit", "brand", "credential", "key", "pins", "provider", "secret", "sessions"]) {
      const { output } = await run([group], {});
      const wide = output.split("\n").filter((line) => line.length > 80);
      expect(wide, "lines wider than a terminal").to.deep.equal([]);
    }
  });

  it("shows with --help every option that a command takes, and asks for nothing else", async () => {
    const { stdout } = await run(["--help"], {});
    const listed = [...stdout.matchAll(/^ {2}(\S+(?: [a-z]+)?) {2,}/gm)].map(([, name = ""]) => name);
    expect(listed).to.include.members(["check", "re-encrypt", "credential set", "secret new", "watch"]);
    const texts = [stdout];
    for (const name of listed) {
      const { code, stdout, output } = await run([...name.split(" "), "--help"], {});
      expect([code, output], name).to.deep.equal([0, stdout]);
      texts.push(stdout);
    }
    expect(texts.flatMap((text) => text.split("\n")).filter((line) => line.length > 80)).to.deep.equal([]);
    await expectKept("operator/cli/help", async () => texts.join("\n"));
  });

  it("tells people at a terminal in sentences why it does not start", async () => {
    const atTerminal = "data:text/javascript,process.stdout.isTTY=true";
    const env = { IDENTITY_PROT: "1" };
    const warning = { ...env, IDENTITY_LOG_LEVEL: "warn" };
    const { code, stdout, output } = await runIdentitySignerProcess([], warning, ["--import", atTerminal]);
    expect([code, stdout]).to.deep.equal([1, ""]);
    expect(output).not.to.include("{");
    expect(output).to.match(/^IDENTITY_PROT is not a setting of the service and is ignored/);
    expect(output)
      .to.include("\n- IDENTITY_RPC_URL is not set")
      .and.include("\n- IDENTITY_REGISTRY is not set");
    expect(output).to.match(/\nThe service was not started. identity-signer settings lists its settings.\n$/);
    const quiet = { ...env, IDENTITY_LOG_LEVEL: "error" };
    const errors = await runIdentitySignerProcess([], quiet, ["--import", atTerminal]);
    expect(errors.output).to.include("IDENTITY_RPC_URL is not set").and.not.include("IDENTITY_PROT");
  });

  it("prints its commands and release, and refuses an old Node in a sentence", async () => {
    const help = await run(["--help"], {});
    expect([help.code, help.stdout.includes("\n  backup ")]).to.deep.equal([0, true]);
    const lines = help.stdout.trimEnd().split("\n");
    expect(lines.length, "on one screen of a terminal").to.be.at.most(40);
    expect(lines.filter((line) => line.length > 80)).to.deep.equal([]);
    const { version, engines } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    expect(await run(["--version"], {})).to.include({ code: 0, stdout: `${version}\n` });
    const [oldest] = /\d+\.\d+/.exec(engines.node) ?? [];
    for (const [node, code] of [
      ["v22.12.0", 1],
      ["v20.20.2", 1],
      [`v${oldest}.0`, 0],
    ] as const) {
      const pretend = `data:text/javascript,Object.defineProperty(process,"version",{value:"${node}"})`;
      const asked = await runIdentitySignerProcess(["--version"], {}, ["--import", pretend]);
      expect(asked.code, node).to.equal(code);
      if (code === 1)
        expect(asked.output).to.equal(`identity-signer needs Node ${oldest} or newer; this is ${node}.\n`);
    }
  });

  it("waits a second for each address of a host that is far away, or as long as Node is told to", async () => {
    // cspell:ignore autoselection
    const tell = `process.on("exit", () => console.error(process.getBuiltinModule("net").getDefaultAutoSelectFamilyAttemptTimeout()))`;
    const seen = ["--import", `data:text/javascript,${encodeURIComponent(tell)}`];
    const given = ["--network-family-autoselection-attempt-timeout=700", ...seen];
    const { output } = await runIdentitySignerProcess(["--version"], {}, seen);
    expect(output).to.match(/^1000$/m);
    expect((await runIdentitySignerProcess(["--version"], {}, given)).output).to.match(/^700$/m);
  });

  it("prints its settings by purpose, with meaning and default, in lines that fit a terminal", async () => {
    const { code, stdout } = await run(["settings"], {});
    expect(code).to.equal(0);
    expect(stdout.split("\n").filter((line) => line.length > 80)).to.deep.equal([]);
    const lines = stdout.slice(stdout.indexOf("\nChain\n")).split("\n");
    const purposes = lines.filter((line) => /^\S/.test(line));
    expect(purposes).to.deep.equal(Object.keys(settingGroups));
    const shown = stdout.replace(/\s+/g, " ");
    for (const [name, schema] of Object.values(settingGroups).flatMap((group) => Object.entries(group))) {
      const { what, byDefault, isSecret } = describeSetting(schema);
      const [, star] = new RegExp(`^ {2}${name}(\\*?) `, "m").exec(stdout) ?? [];
      expect(star, name).to.equal(isSecret ? "*" : "");
      const end = byDefault === "" ? "required" : `default: ${byDefault}`;
      expect(shown).to.include(`${name}${star} ${what} (${end})`);
    }
  });

  it("logs why it does not start in JSON lines, and names an unknown setting", async () => {
    const env = { IDENTITY_REGISTRY_ADDRESS: `0x${"11".repeat(20)}` };
    for (const level of ["", "error", "loud"]) {
      const { code, stdout, output } = await runIdentitySignerProcess([], {
        ...env,
        IDENTITY_LOG_LEVEL: level,
      });
      expect(code).to.equal(1);
      expect(output, "nothing but lines").to.equal(stdout);
      const lines = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const [fatal, warning] = lines.toReversed();
      expect(fatal).to.include({ level: 60, msg: "not started" });
      expect(fatal.time).to.match(/^\d{4}-\d\d-\d\dT/);
      expect(fatal.problem).to.include("IDENTITY_REGISTRY is not set");
      expect(fatal).not.to.have.property("frames");
      if (level === "error") expect(lines).to.have.length(1);
      else expect(warning.msg).to.include("IDENTITY_REGISTRY_ADDRESS is not a setting of the service");
    }
    const silent = await runIdentitySignerProcess([], { IDENTITY_LOG_LEVEL: "silent" });
    expect(silent).to.include({ code: 1, stdout: "" });
    expect(silent.output).to.include("IDENTITY_REGISTRY is not set");
  });

  it("reports a fault of its own in one line", async () => {
    const broken = `data:text/javascript,process.getBuiltinModule("node:http").createServer=()=>{throw new TypeError("odd")}`;
    const env = {
      IDENTITY_REGISTRY: `0x${"11".repeat(20)}`,
      IDENTITY_RPC_URL: "http://127.0.0.1:1",
      IDENTITY_MASTER_SECRET: masterSecret,
      IDENTITY_SIGNING_KEY: `0x${"5f".repeat(32)}`,
    };
    const { code, stdout } = await runIdentitySignerProcess([], env, ["--import", broken]);
    expect(code).to.equal(1);
    const [fatal, ...others] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(fatal).to.include({ level: 60, problem: "TypeError: odd" });
    expect(fatal.frames.join()).to.include("startSigner.ts");
    expect(others).to.deep.equal([]);
  });

  it("makes a signing key that a service can use and others cannot read, and overwrites none", async () => {
    const folder = await temporaryFolder();
    const [to, passwordFile] = [join(folder, "keystore.json"), join(folder, "password")];
    const args = ["key", "new", "--to", to, "--password-file", passwordFile];
    await writeFile(passwordFile, "", { mode: 0o600 });
    const nothing = await run(args, {});
    expect([nothing.code, existsSync(to)]).to.deep.equal([1, false]);
    expect(nothing.output).to.include("--password-file names an empty file");
    await writeFile(passwordFile, " correct horse \n");
    const { code, stdout } = await run(args, {});
    expect(code).to.equal(0);
    const keystore = await readFile(to, "utf8");
    const { address } = await decryptKeystoreJson(keystore, " correct horse ");
    expect(stdout).to.equal(`${address}\n`);
    expect((await stat(to)).mode & 0o777).to.equal(0o600);
    const again = await run(args, {});
    expect([again.code, again.output]).to.deep.equal([
      1,
      "--to: the keystore was not written (EEXIST); give the path of a new file.\n",
    ]);
    expect(await readFile(to, "utf8")).to.equal(keystore);
  });

  it("writes a new secret to a file that others cannot read, shows nothing of it, and overwrites none", async () => {
    const to = join(await temporaryFolder(), "master-secret");
    const made = await run(["secret", "new", "--to", to], {});
    expect(made).to.include({ code: 0, output: `Wrote a new secret to ${to}.\n` });
    const secret = await readFile(to, "utf8");
    expect(secret).to.match(/^0x[0-9a-f]{64}\n$/);
    expect((await stat(to)).mode & 0o777).to.equal(0o600);
    const again = await run(["secret", "new", "--to", to], {});
    expect([again.code, again.output.includes("EEXIST")]).to.deep.equal([1, true]);
    expect(await readFile(to, "utf8")).to.equal(secret);
    const other = `${to}-2`;
    await run(["secret", "new", "--to", other], {});
    expect(await readFile(other, "utf8")).not.to.equal(secret);
  });

  it("fails where the disk for its output is full, because a list that ends early looks whole", async function () {
    if (process.platform !== "linux") skip(this, "it needs /dev/full", "Linux");
    const secrets = { IDENTITY_MASTER_SECRET: `0x${"11".repeat(32)}` };
    const folder = await temporaryFolder();
    const databaseUrl = `file:${join(folder, "identity.sqlite")}`;
    const store = await openCredentialStore({
      databaseUrl,
      masterSecret: secrets.IDENTITY_MASTER_SECRET,
      chainId: 84532,
    });
    await store.set(credential);
    await store.close();
    for (const args of [
      ["audit", "list"],
      ["credential", "list"],
      ["credential", "list", "--json"],
      ["settings"],
    ]) {
      const [command, all, how] = identitySignerCommand(args, {
        ...secrets,
        IDENTITY_DATABASE_URL: databaseUrl,
      });
      const stdio: ["ignore", number, "pipe"] = ["ignore", openSync("/dev/full", "w"), "pipe"];
      const { status, stderr } = spawnSync(command, all, { ...how, stdio, encoding: "utf8" });
      expect([status, stderr], args.join(" ")).to.deep.equal([
        1,
        "The output ends early: it cannot be written (ENOSPC).\n",
      ]);
    }
  });

  describe("migrate", () => {
    it("migrates a database before the service starts, without a chain, and reports its contents", async () => {
      const env = { IDENTITY_DATABASE_URL: await (await sharedPostgres()).createDatabase() };
      const before = await run(["migrate", "--status"], { ...env, IDENTITY_MASTER_SECRET: "" });
      expect(before.code).to.equal(1);
      expect(before.output).to.match(/^(\d{3}-[a-z-]+ {2}missing\n)+$/);
      const ran = await run(["migrate"], env);
      expect(ran.code).to.equal(0);
      expect(ran.output).to.match(/^(\d{3}-[a-z-]+ {2}ran \S+Z\n)+$/);
      expect(await run(["migrate", "--status"], env)).to.deep.equal(ran);
      await withClient(env.IDENTITY_DATABASE_URL, (client) =>
        client.query("insert into kysely_migration values ('999-later', '2030-01-01T00:00:00.000Z')"),
      );
      const later = await run(["migrate", "--status"], env);
      const line = "999-later  ran 2030-01-01T00:00:00.000Z  of a later release\n";
      expect([later.code, later.output]).to.deep.equal([1, `${ran.output}${line}`]);
    });
  });

  describe("backup", () => {
    it("copies a store during writes without deleted rows, and the copy can be restored", async () => {
      const folder = await temporaryFolder();
      const [file, copy] = [join(folder, "identity.sqlite"), join(folder, "copy.sqlite")];
      const databaseUrl = `file:${file}`;
      const store = await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 });
      await store.set(credential);
      await store.set({ ...credential, wallet: bob });
      await store.delete(bob, "microblog");
      const { code, output } = await run(["backup", "--to", copy], { IDENTITY_DATABASE_URL: databaseUrl });
      expect(output).to.include(copy);
      expect(code).to.equal(0);
      expect((await stat(copy)).mode & 0o077).to.equal(0);
      expect((await readFile(copy)).includes(bob)).to.equal(false);
      expect((await readdir(folder)).filter((name) => name.includes("unfinished"))).to.deep.equal([]);
      await store.delete(alice, "microblog");
      await store.close();

      await copyFile(copy, file);
      const restored = await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 });
      expect((await restored.find(alice, "microblog"))?.traits).to.deep.equal(credential.traits);
      await restored.close();

      const again = await run(["backup", "--to", copy], { IDENTITY_DATABASE_URL: databaseUrl });
      expect(again.code).to.equal(1);
      expect(again.output).to.include("exists already");
    });

    it("is on the disk before it has its name, because SQLite leaves that to the operating system", async () => {
      const folder = await temporaryFolder();
      const [file, copy] = [join(folder, "identity.sqlite"), join(folder, "copy.sqlite")];
      const env = { IDENTITY_DATABASE_URL: `file:${file}`, IDENTITY_MASTER_SECRET: masterSecret };
      await (
        await openCredentialStore({ databaseUrl: `file:${file}`, masterSecret, chainId: 84532 })
      ).close();
      const tell = `const fs = process.getBuiltinModule("node:fs"); const paths = new Map();
        for (const [name, what] of Object.entries({ openSync: (path, d) => paths.set(d, path), fsyncSync: (d) => console.error("sync", paths.get(d)), renameSync: (from) => console.error("rename", from) })) {
          const real = fs[name]; fs[name] = (...args) => { const result = real(...args); what(args[0], result); return result; };
        }`;
      const hooks = (code: string) => ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
      // The remainder of a killed backup.
      await writeFile(`${copy}.unfinished`, "half");
      const { code, output } = await runIdentitySignerProcess(["backup", "--to", copy], env, hooks(tell));
      expect(code, output).to.equal(0);
      expect(output.split("\n").filter((line) => /^(sync|rename) /.test(line))).to.deep.equal([
        `sync ${copy}.unfinished`,
        `rename ${copy}.unfinished`,
        `sync ${folder}`,
      ]);

      // Another backup is faster.
      const other = `const fs = process.getBuiltinModule("node:fs"); fs.fsyncSync = () => fs.writeFileSync(${JSON.stringify(`${copy}-2`)}, "another");`;
      const late = await runIdentitySignerProcess(["backup", "--to", `${copy}-2`], env, hooks(other));
      expect([late.code, late.output.includes("exists already")], late.output).to.deep.equal([1, true]);
      expect(await readFile(`${copy}-2`, "utf8")).to.equal("another");
      expect((await readdir(folder)).filter((name) => name.includes("unfinished"))).to.deep.equal([]);
    });

    it("leaves PostgreSQL to PostgreSQL's tools", async () => {
      const IDENTITY_DATABASE_URL = await (await sharedPostgres()).createDatabase();
      const { code, output } = await run(["backup", "--to", "nowhere"], { IDENTITY_DATABASE_URL });
      expect([code, output.includes("pg_dump")]).to.deep.equal([1, true]);
    });
  });
});
