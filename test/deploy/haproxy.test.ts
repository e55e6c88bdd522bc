import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { read } from "../fixtures/deployFiles.ts";
import { skip } from "../fixtures/skip.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("The proxy's configuration", () => {
  it("is understood by HAProxy", async function () {
    if (spawnSync("haproxy", ["-v"], { stdio: "ignore" }).status !== 0) {
      skip(this, "there is no haproxy here", "apt-get install --no-install-recommends haproxy");
    }
    const file = join(await temporaryFolder(), "haproxy.cfg");
    // Whose certificate is the operator's.
    const check = (text: string) => {
      writeFileSync(file, text.replace(/ ssl crt \S+ alpn \S+/, ""));
      return spawnSync("haproxy", ["-c", "-f", file], { encoding: "utf8" });
    };
    const configuration = read("deploy/haproxy/haproxy.cfg");
    const { status, stderr } = check(configuration);
    expect(status, stderr).to.equal(0);
    expect(stderr).not.to.match(/\[(WARNING|ALERT)\]/);
    expect(check(configuration.replace("balance ", "balanced ")).status).not.to.equal(0);
  });
});
