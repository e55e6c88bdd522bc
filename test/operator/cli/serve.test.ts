import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { startService } from "../../../packages/operator/cli/serve.ts";
import { development } from "../../../packages/protocol/development.ts";
import { serveChainWithRegistry } from "../../fixtures/chain/localChain.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { setEnvironment } from "../../fixtures/environment.ts";
import { findFreePort } from "../../fixtures/freePort.ts";
import { ownSecrets } from "../../fixtures/signer/stack.ts";
import { engines } from "../../fixtures/signer/stores.ts";
import { skip } from "../../fixtures/skip.ts";
import { startIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

describe("The service that identity-signer starts", () => {
  let rpcUrl: string;
  let environment: NodeJS.ProcessEnv;

  before(async () => {
    const chain = await serveChainWithRegistry();
    ({ rpcUrl } = chain);
    environment = {
      IDENTITY_REGISTRY: await chain.registry.getAddress(),
      IDENTITY_PORT: "0",
      IDENTITY_LOG_LEVEL: "silent",
      IDENTITY_DATABASE_URL: `file:${join(await temporaryFolder(), "identity.sqlite")}`,
    };
  });

  /** Starts it, and says whether it is ready, and what it complained of. */
  async function start(changed: NodeJS.ProcessEnv) {
    const said: string[] = [];
    const log = { warn: (text: string) => void said.push(text) };
    const service = await startService({ ...environment, ...changed }, log);
    onCleanup(() => service.close());
    const { status } = await fetch(`${service.url}/readyz`);
    const page = await fetch(`${service.url}/verify?wallet=${development.signer}&providers=microblog`);
    return { status, page, signer: service.signer, said };
  }

  it("serves the chain that a setting or a file names, with its verify page", async () => {
    const unknown = "IDENTITY_REGISTRY_ADDRESS";
    const { page, ...started } = await start({ IDENTITY_RPC_URL: rpcUrl, [unknown]: "0x12" });
    const said = [
      `${unknown} is not a setting of the service and is ignored; docs/signer.md lists all settings.`,
    ];
    expect(started).to.deep.equal({ status: 200, signer: development.signer, said });
    expect(await page.text()).to.include("<script");
    const file = join(await temporaryFolder(), "url");
    writeFileSync(file, `${rpcUrl}\n`, { mode: 0o600 });
    expect(await start({ IDENTITY_RPC_URL_FILE: file })).to.include({ status: 200 });
  });

  it("warns where a crash may write secrets of its own to a core file, and not of those that everybody knows", async function () {
    if (process.platform !== "linux") skip(this, "it reads limits as Linux shows them", "Linux");
    // Without the program that forbids them.
    setEnvironment({ PATH: await temporaryFolder() });
    const secrets = {
      ...ownSecrets(),
      IDENTITY_DATABASE_URL: `file:${join(await temporaryFolder(), "identity.sqlite")}`,
    };
    const { said } = await start({ IDENTITY_RPC_URL: rpcUrl, ...secrets });
    expect(said).to.deep.equal([
      "Core files cannot be forbidden here (prlimit does it on Linux): a crash may write the keys to one. Set LimitCORE=0 (systemd) or ulimit -c 0.",
    ]);
    expect((await start({ IDENTITY_RPC_URL: rpcUrl })).said).to.deep.equal([]);
  });

  it("warns that it does not listen where a host wants it to (PORT)", async () => {
    const port = await findFreePort();
    const { said } = await start({ IDENTITY_RPC_URL: rpcUrl, PORT: "8080" });
    expect(said).to.deep.equal([
      "PORT is 8080, and IDENTITY_PORT is 0. Where a host gives each program its port so, set it to the same number, and IDENTITY_HOST to 0.0.0.0.",
    ]);
    const asWanted = { PORT: String(port), IDENTITY_PORT: String(port) };
    expect((await start({ IDENTITY_RPC_URL: rpcUrl, ...asWanted })).said).to.deep.equal([]);
  });

  it("names the roles that can change its tables, or everybody who can read them", async () => {
    const postgres = engines.PostgreSQL;
    if (postgres === undefined) throw new Error("no PostgreSQL");
    const { databaseUrl, query } = await postgres();
    const roles = ["stranger", "reader"].map((role) => `${role}_${process.pid}`);
    const [stranger, reader] = roles;
    for (const role of roles) await query(`create role ${role}`);
    onCleanup(async () => {
      await query(`drop owned by ${roles.join()}`);
      await query(`drop role ${roles.join()}`);
    });
    const complaints = async () =>
      (await start({ IDENTITY_RPC_URL: rpcUrl, IDENTITY_DATABASE_URL: databaseUrl })).said;
    await query(`alter default privileges grant select on tables to ${reader}`);
    await query(`alter default privileges grant all on tables to ${stranger}`);
    const complaint = (names: string) =>
      `Other roles can change the store, or read it: ${names}. Take their rights away (docs/store.md).`;
    expect(await complaints()).to.deep.equal([complaint(`${stranger}`)]);
    await query(`revoke all on all tables in schema public from ${stranger}`);
    expect(await complaints()).to.deep.equal([]);
    await query("grant select on credentials to public");
    expect(await complaints()).to.deep.equal([complaint("PUBLIC")]);
    await query("revoke usage on schema public from public");
    expect(await complaints()).to.deep.equal([]);
  });

  it("ends at once when a person asks it to (SIGINT), and with notice when a program does (SIGTERM)", async () => {
    const endAt = async (signal: NodeJS.Signals, level: string) => {
      const service = await startIdentitySigner({
        ...environment,
        IDENTITY_RPC_URL: rpcUrl,
        IDENTITY_LOG_LEVEL: level,
        IDENTITY_DATABASE_URL: `file:${join(await temporaryFolder(), "identity.sqlite")}`,
      });
      await fetch(`${service.url}/healthz`);
      const code = await service.stop(signal);
      return [code, service.output().match(/(?<="msg":")(request|ending soon|ending|ended)/g)];
    };
    const ends = [endAt("SIGINT", "debug"), endAt("SIGTERM", "info")];
    expect(await Promise.all(ends), "a probe is in the log at debug").to.deep.equal([
      [0, ["request", "ending", "ended"]],
      [0, ["ending soon", "ending", "ended"]],
    ]);
  }).timeout(60_000);
});
