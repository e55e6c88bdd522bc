import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect } from "chai";
import type { Context } from "mocha";
import { knownVariables } from "../../packages/operator/settings.ts";
import { findUnknownVariables } from "../../signer/settings.ts";
import { endsWithin, read, readUnit } from "../fixtures/deploy/deployFiles.ts";
import { readSnippets } from "../fixtures/markdown.ts";
import { skip } from "../fixtures/skip.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const name = "identity-signer.service";
const unit = read(`deploy/systemd/${name}`);
const replicas = read("deploy/systemd/replicas.conf");

/** The program of a unit's command. */
function programOf(file: string): string {
  const [program = ""] = /^\S+ (?:--\S+ )*\S+\.js/.exec(readUnit(file).all("ExecStart")[0] ?? "") ?? [];
  const [service = ""] = readUnit().all("ExecStart");
  expect([service, service.replaceAll(/ --\S+/g, "")]).to.include(program);
  return program;
}

/** Skips a test that asks systemd's own tool, where that is missing. */
function needTool(context: Context): void {
  const { stdout } = spawnSync("systemd-analyze", ["--version"], { encoding: "utf8" });
  const [, version] = /^systemd (\d+)/.exec(stdout ?? "") ?? [];
  if (Number(version) >= 250) return;
  skip(context, "there is no systemd-analyze of 250 or newer here", "apt-get install systemd");
}

describe("The systemd unit", () => {
  /**
   * Systemd's complaints about units, and its exit code.
   *
   * @param files Path in the folder of units → text, with a program that there is on this machine.
   */
  async function verify(files: Readonly<Record<string, string>>, ...units: readonly string[]) {
    const folder = await temporaryFolder();
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text.replace("/usr/bin/node", process.execPath));
    }
    const env = { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` };
    const { stderr, status } = spawnSync("systemd-analyze", ["verify", ...units], { encoding: "utf8", env });
    return { stderr, status };
  }
  const good = { stderr: "", status: 0 };

  it("is valid for systemd in every line, as is the watch's", async function () {
    needTool(this);
    expect(await verify({ [name]: unit }, name)).to.deep.equal(good);
    const misspelt = unit.replace("TimeoutStopSec", "TimeoutStopSeconds");
    expect((await verify({ [name]: misspelt }, name)).stderr).to.include("TimeoutStopSeconds");
    const watch = "identity-signer-watch.service";
    expect(await verify({ [watch]: read(`deploy/systemd/${watch}`) }, watch)).to.deep.equal(good);
  });

  it("has valid timers for a backup and the audit trail", async function () {
    needTool(this);
    const timers = globSync("deploy/systemd/*.timer", { cwd: root }).map((file) => basename(file, ".timer"));
    expect(timers).to.have.members(["identity-signer-audit", "identity-signer-backup"]);
    for (const timer of timers) {
      const files = [`${timer}.timer`, `${timer}.service`];
      const texts = Object.fromEntries(files.map((file) => [file, read(`deploy/systemd/${file}`)]));
      expect(await verify(texts, ...files)).to.deep.equal(good);
    }
  });

  it("gives the service time to end, and does not start it without its settings", () => {
    const { all } = readUnit();
    expect(Number(all("TimeoutStopSec")[0])).to.be.within(endsWithin + 1, 60);
    expect(all("EnvironmentFile")).to.deep.equal(["/etc/identity-signer/environment"]);
  });

  it("confines the watch, the backup and the check as the service", () => {
    const confined = (file: string) => {
      const text = read(`deploy/systemd/${file}`);
      return text
        .slice(text.indexOf("\nNoNewPrivileges="))
        .split(/\n(?:\[|#|$)/)[0]
        ?.trimEnd();
    };
    const ofService = confined(name);
    expect(ofService).to.match(/\nLimitCORE=0$/);
    expect(confined("identity-signer-watch.service")).to.equal(ofService);
    expect(confined("identity-signer-audit.service")).to.equal(ofService);
    // A copy needs no network.
    const ofBackup = ofService
      ?.replace("\nPrivateUsers=", "\nPrivateNetwork=yes\nPrivateUsers=")
      .replace("AF_INET AF_INET6 AF_UNIX", "AF_UNIX");
    expect(confined("identity-signer-backup.service")).to.equal(ofBackup);
    // The service's user, whose store they read.
    for (const one of ["backup", "audit"])
      expect(readUnit(`identity-signer-${one}.service`).all("User"), one).to.deep.equal(["identity-signer"]);
    for (const file of globSync("deploy/systemd/*.service", { cwd: root })) {
      const { all } = readUnit(basename(file));
      const owner = ["DynamicUser", "StateDirectoryMode", "UMask"];
      expect(owner.map(all), file).to.deep.equal([["yes"], ["0700"], ["0077"]]);
      expect(all("WorkingDirectory"), file).to.deep.equal(
        all("StateDirectory").map((one) => `/var/lib/${one}`),
      );
    }
  });

  it("has root copy a backup, and nothing that the service could put in its place", async () => {
    const folder = await temporaryFolder();
    const [state, backups] = [join(folder, "state"), join(folder, "backups")];
    mkdirSync(state, { recursive: true });
    const lines = readUnit("identity-signer-backup.service")
      .all("ExecStartPost")
      .filter((line) => line.startsWith("+"))
      .map((line) => line.slice(1).replaceAll("/var/lib/identity-signer", state))
      .map((line) => line.replaceAll("/var/backups/identity-signer", backups).split(" "));
    /** As systemd does, which stops at the first that fails. */
    const succeeds = () =>
      lines.every(([program = "", ...args]) => spawnSync(program, args, { timeout: 10_000 }).status === 0);
    const made = join(state, "backup.sqlite");
    const kept = () => readFileSync(join(backups, "identity.sqlite"), "utf8");
    for (const text of ["one", "another, longer one"]) {
      writeFileSync(made, text);
      expect(succeeds()).to.equal(true);
      expect(kept()).to.equal(text);
    }
    expect(statSync(join(backups, "identity.sqlite")).mode & 0o777).to.equal(0o600);
    writeFileSync(join(folder, "shadow"), "root's own");
    rmSync(made);
    for (const target of [join(folder, "shadow"), "/dev/zero"]) {
      symlinkSync(target, made);
      expect(succeeds(), target).to.equal(false);
      expect(kept()).to.equal("another, longer one");
      rmSync(made);
    }
    // It does not wait for a writer. cspell:ignore mkfifo
    spawnSync("mkfifo", [made]);
    succeeds();
    expect(kept()).not.to.include("root's own");
  });

  it("backs up, checks and watches by the program's own commands", () => {
    const { all } = readUnit("identity-signer-backup.service");
    // `backup` overwrites nothing, and what a killed one left is in its way.
    const ofService = ["ExecStartPre", "ExecStart", "ExecStartPost"].flatMap(all);
    expect(ofService.filter((line) => !line.startsWith("+"))).to.deep.equal([
      "/usr/bin/rm --force backup.sqlite",
      `${programOf("identity-signer-backup.service")} backup --to backup.sqlite`,
      "/usr/bin/rm --force backup.sqlite",
    ]);
    expect(readUnit("identity-signer-audit.service").all("ExecStart")).to.deep.equal([
      `${programOf("identity-signer-audit.service")} audit verify`,
    ]);
    expect(readUnit("identity-signer-watch.service").all("ExecStart")).to.deep.equal([
      `${programOf("identity-signer-watch.service")} watch --json --position-file position $WATCH_OPTIONS`,
    ]);
  });

  it("hands each unit the secrets that its settings name, and no others", () => {
    const secrets = (file: string) =>
      readUnit(file)
        .all("LoadCredential")
        .map((one) => one.split(":")[0]);
    for (const file of globSync("deploy/systemd/*.service", { cwd: root }).map((path) => basename(path))) {
      const settings = readUnit(file).all("Environment").join("\n");
      const named = [...settings.matchAll(/%d\/([\w-]+)/g)].map(([, one]) => one);
      expect(secrets(file), file).to.have.members(named);
      for (const [, setting, secret] of settings.matchAll(/IDENTITY_(\w+)_FILE=%d\/([\w-]+)/g))
        expect(secret).to.equal(setting?.toLowerCase().replaceAll("_", "-"));
    }
    expect(secrets("identity-signer-backup.service")).to.deep.equal(["database-url"]);
    expect(secrets("identity-signer-audit.service")).to.deep.equal(["database-url", "master-secret"]);
  });

  it("has the user, the folder and a secret that the guide's shell for an SQLite store has, too", () => {
    const shell =
      readSnippets("docs/store.md").find(({ text }) => text.startsWith("systemd-run "))?.text ?? "";
    const properties = [...shell.matchAll(/--property=(\w+)=(\S+)/g)];
    expect(properties).to.have.length(7);
    const { all } = readUnit("identity-signer-audit.service");
    for (const [, property = "", value] of properties) expect(all(property), property).to.include(value);
  });

  it("has the watch tell its metrics at a port of its own, which Prometheus knows", () => {
    const portOf = (file: string) =>
      /^IDENTITY_METRICS_PORT=(\d+)$/m.exec(readUnit(file).all("Environment").join("\n"))?.[1];
    const port = portOf("identity-signer-watch.service");
    expect(port).not.to.equal(portOf(name));
    expect(read("deploy/prometheus/prometheus.yaml")).to.match(
      new RegExp(`job_name: identity-watch\n.*\n.*:${port}"`),
    );
  });

  it("is a template for replicas, with the port in its name", async function () {
    const files = {
      "identity-signer@.service": unit,
      "identity-signer@.service.d/replicas.conf": replicas,
    };
    const environment = [...replicas.matchAll(/^Environment=(.*)$/gm)].map(([, set = ""]) => set);
    expect(environment.map((set) => set.replaceAll("%i", "8081"))).to.deep.equal([
      "IDENTITY_PORT=8081",
      "IDENTITY_METRICS_PORT=18081",
    ]);
    // Without the folder, systemd could not start in it.
    for (const [name, value] of Object.entries({ StateDirectory: "", WorkingDirectory: "/" }))
      expect(readUnit("replicas.conf").all(name), name).to.deep.equal([value]);
    // A port in the file of settings would win over the instance's port.
    expect(read("deploy/systemd/environment"))
      .to.match(/^IDENTITY_TRUST_PROXY=loopback$/m)
      .and.not.match(/^IDENTITY_(METRICS_)?PORT=/m);
    needTool(this);
    expect(await verify(files, "identity-signer@8081.service")).to.deep.equal(good);
  });

  describe("with a drop-in for what not everybody has", () => {
    const dropIns = globSync("deploy/systemd/*.conf", { cwd: root })
      .map((file) => basename(file))
      .filter((file) => file !== "replicas.conf");

    for (const dropIn of dropIns) {
      it(`is valid for systemd: ${dropIn}`, async function () {
        needTool(this);
        const files = { [name]: unit, [`${name}.d/${dropIn}`]: read(`deploy/systemd/${dropIn}`) };
        expect(await verify(files, name)).to.deep.equal(good);
      });

      it(`passes only settings that the service has: ${dropIn}`, async () => {
        const text = read(`deploy/systemd/${dropIn}`);
        const handed = [...text.matchAll(/^(?:# )?LoadCredential=([\w-]+):/gm)].map(([, file]) => file);
        const used = [...text.matchAll(/%d\/([\w-]+)/g)].map(([, file]) => file);
        const ofUnit = ["rpc-url", "database-url", "master-secret"];
        expect(new Set(used)).to.deep.equal(new Set(handed.filter((file) => !ofUnit.includes(file ?? ""))));
        // Each secret is in the file of its name, and the setting's.
        for (const [, secret = "", file] of text.matchAll(
          /LoadCredential=([\w-]+):\S+\/([\w-]+?)(?:\.json)?$/gm,
        ))
          expect(secret.replace(/^next-/, ""), dropIn).to.equal(file);
        for (const [, provider = "", file] of text.matchAll(
          /IDENTITY_(\w+)_CLIENT_SECRET_FILE=%d\/([\w-]+)$/gm,
        ))
          expect(file).to.equal(`${provider.toLowerCase().replaceAll("_", "-")}-secret`);
        const set = [...text.matchAll(/^(?:# )?Environment="?(IDENTITY_\w+)=/gm)].map(([, one = ""]) => one);
        expect(set).not.to.have.length(0);
        expect(
          findUnknownVariables(Object.fromEntries(set.map((one) => [one, "…"])), knownVariables),
        ).to.deep.equal([]);
      });
    }

    it("keeps the credentials of every other drop-in when one starts the list again", () => {
      const restarts = (file: string) => readUnit(file).all("LoadCredential").includes("");
      const ordered = dropIns.toSorted();
      expect(ordered.filter(restarts)).to.deep.equal(["00-module.conf", "00-pkcs11.conf"]);
      expect(ordered.slice(0, 2).every(restarts)).to.equal(true);
    });

    it("replaces the keystore by a module, or by the token", () => {
      const ofUnit = [...unit.matchAll(/^LoadCredential=(.*)$/gm)].map(([, one = ""]) => one);
      const [reset, ...ofToken] = [
        ...read("deploy/systemd/00-pkcs11.conf").matchAll(/^LoadCredential=(.*)$/gm),
      ].map(([, one = ""]) => one);
      expect(reset).to.equal("");
      const common = ofUnit.filter((one) => !one.startsWith("keystore"));
      expect(ofToken).to.deep.equal([...common, "pin:/etc/identity-signer/pin"]);
      expect(readUnit("00-module.conf").all("LoadCredential")).to.deep.equal(["", ...common]);
      // Two wrong PINs an hour lock no token.
      const { all } = readUnit("00-pkcs11.conf");
      expect(["StartLimitIntervalSec", "StartLimitBurst"].flatMap(all)).to.deep.equal(["1h", "2"]);
    });
  });

  it("restricts the service, the backup and the check by systemd's own measure", async function () {
    needTool(this);
    const folder = await temporaryFolder();
    const judge = (text: string) => {
      const file = join(folder, name);
      writeFileSync(file, text.replace("/usr/bin/node", process.execPath));
      const args = ["security", "--offline=true", "--no-pager", "--threshold=15", file];
      return spawnSync("systemd-analyze", args, { encoding: "utf8" });
    };
    for (const file of globSync("deploy/systemd/*.service", { cwd: root })) {
      const { status, stdout } = judge(read(file));
      expect(status, `${file}: ${stdout.split("\n").slice(-3).join("\n")}`).to.equal(0);
    }
    const loose = judge(unit.replace("ProtectSystem=strict", "").replace("DynamicUser=yes", ""));
    expect(loose.status).not.to.equal(0);
  });
});
