import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { read } from "../fixtures/deploy/deployFiles.ts";
import { skip } from "../fixtures/skip.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const name = "identity-signer.service";
const unit = read(`deploy/systemd/${name}`);
const replicas = read("deploy/systemd/replicas.conf");

describe("The systemd unit", () => {
  before(function () {
    const { stdout } = spawnSync("systemd-analyze", ["--version"], { encoding: "utf8" });
    const [, version] = /^systemd (\d+)/.exec(stdout ?? "") ?? [];
    if (Number(version) >= 250) return;
    skip(this, "there is no systemd-analyze of 250 or newer here", "apt-get install systemd");
  });

  /** Has systemd judge a unit, with a program that there is on this machine. */
  async function analyse(text: string, ...args: string[]) {
    const file = join(await temporaryFolder(), name);
    writeFileSync(file, text.replace("/usr/bin/node", process.execPath));
    const { status, stdout, stderr } = spawnSync("systemd-analyze", [...args, file], { encoding: "utf8" });
    return { status, stdout, problems: stderr };
  }

  it("is understood by systemd, every line of it", async () => {
    const { status, problems } = await analyse(unit, "verify");
    expect(problems).to.equal("");
    expect(status).to.equal(0);
    const misspelt = await analyse(unit.replace("TimeoutStopSec", "TimeoutStopSeconds"), "verify");
    expect(misspelt.problems).to.include("TimeoutStopSeconds");
  });

  it("is a replica's, too, with the port that its name says", async () => {
    const folder = await temporaryFolder();
    const replica = "identity-signer@8081.service";
    mkdirSync(join(folder, "identity-signer@.service.d"));
    writeFileSync(join(folder, "identity-signer@.service"), unit.replace("/usr/bin/node", process.execPath));
    writeFileSync(join(folder, "identity-signer@.service.d/replicas.conf"), replicas);
    const verified = spawnSync("systemd-analyze", ["verify", replica], {
      encoding: "utf8",
      env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
    });
    expect([verified.stderr, verified.status]).to.deep.equal(["", 0]);
    const environment = [...replicas.matchAll(/^Environment=(.*)$/gm)].map(([, set = ""]) => set);
    expect(environment.map((set) => set.replaceAll("%i", "8081"))).to.deep.equal([
      "IDENTITY_PORT=8081",
      "IDENTITY_METRICS_PORT=18081",
    ]);
    // What stands in the file of settings would win over the instance's port.
    expect(read("deploy/systemd/environment")).not.to.match(/^IDENTITY_(METRICS_)?PORT=/m);
  });

  it("leaves the service little of the machine, by systemd's own measure", async () => {
    const judge = ["security", "--offline=true", "--no-pager", "--threshold=15"];
    const { status, stdout } = await analyse(unit, ...judge);
    expect(status, stdout.split("\n").slice(-3).join("\n")).to.equal(0);
    const loose = await analyse(
      unit.replace("ProtectSystem=strict", "").replace("DynamicUser=yes", ""),
      ...judge,
    );
    expect(loose.status).not.to.equal(0);
  });
});
