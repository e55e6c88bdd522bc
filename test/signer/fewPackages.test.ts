import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** Runs statements with the package's exports, in a process in which the packages that it does not bring are missing. */
async function runBare(statements: string): Promise<unknown> {
  const { rpcUrl } = await serveLocalChain();
  const program = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(name, context, next) {
        if (/^(pg|pino|prom-client|hash-wasm|secp256k1)(\\/|$)/.test(name)) throw new Error(name + " is not installed");
        return next(name, context);
      },
    });
    const signer = await import(${JSON.stringify(`${root}/signer/index.ts`)});
    const env = { IDENTITY_RPC_URL: ${JSON.stringify(rpcUrl)}, IDENTITY_REGISTRY: "0x5FbDB2315678afecb367f032d93F642f64180aa3", IDENTITY_PORT: "0", IDENTITY_DATABASE_URL: ${JSON.stringify(`file:${await temporaryFolder()}/identity.sqlite`)} };
    const ignore = () => undefined;
    const lines = [];
    const logger = { debug: ignore, info: (fields) => lines.push(fields), warn: ignore, error: ignore, fatal: ignore };
    const start = (more = {}, options = { logger }) => signer.startSigner(signer.loadConfig({ ...env, ...more }), options);
    const refusal = (promise) => promise.then(() => "", (error) => error.name + ": " + error.message);
    console.log(JSON.stringify(await (async () => { ${statements} })()));
    process.exit(0);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: root,
  });
  return JSON.parse(stdout);
}

describe("The service with no package but those that it brings", () => {
  it("starts with a logger of the embedder's, without metrics, and names in one line the package of each part", async () => {
    expect(
      await runBare(`
        const service = await start();
        const status = async (path) => (await fetch(service.url + path)).status;
        const statuses = [await status("/healthz"), await status("/metrics"), await status("/verify")];
        return {
          statuses,
          curve: lines.find(({ curve }) => curve)?.curve,
          postgres: await refusal(start({ IDENTITY_DATABASE_URL: "postgresql://a:b@127.0.0.1:1/c" })),
          metrics: await refusal(start({ IDENTITY_METRICS_PORT: "9" })),
          log: await refusal(start({}, {})),
        };`),
    ).to.deep.equal({
      statuses: [200, 404, 404],
      curve: "portable",
      postgres:
        "InvalidInputError: A PostgreSQL store (IDENTITY_DATABASE_URL) needs the package pg, which is not installed: npm install pg",
      metrics:
        "InvalidInputError: A port for metrics (IDENTITY_METRICS_PORT) needs the package prom-client, which is not installed: npm install prom-client",
      log: "InvalidInputError: The log of the service needs the package pino, which is not installed: npm install pino",
    });
  });
});
