import { untilStopped } from "@hardhat-identity/console/untilStopped";
import { type RunningService, startSigner } from "@hardhat-identity/signer";
import { findUnknownVariables } from "@hardhat-identity/signer/settings";
import { readDatabaseLocation } from "@hardhat-identity/store/database/databaseUrl";
import { listOtherRoles } from "@hardhat-identity/store/database/otherRoles";
import { hasResetBug } from "@hardhat-identity/store/database/resetBug";
import { verifyPage } from "@hardhat-identity/verify-page";
import { knownVariables, loadConfigs } from "../settings.ts";
import { forbidCoreFiles } from "./coreFiles.ts";
import { openStartLog, type StartLog } from "./startLog.ts";

/** Runs the service until the process is asked to end. */
export async function serve(): Promise<number> {
  const log = openStartLog(process.env);
  const service = await startService(process.env, log).catch((error) => {
    log.fatal(error);
    // Exit despite open handles.
    process.exit(1);
  });
  await untilServiceStopped(service);
  return 0;
}

/** Starts the service with its verify page, and logs warnings about the settings. */
export async function startService(
  environment: NodeJS.ProcessEnv,
  log: Pick<StartLog, "warn">,
): Promise<RunningService> {
  for (const name of findUnknownVariables(environment, knownVariables)) {
    log.warn(`${name} is not a setting of the service and is ignored; docs/signer.md lists all settings.`);
  }
  const configs = loadConfigs(environment);
  const { port } = configs.service;
  if (environment.PORT && environment.PORT !== String(port)) {
    log.warn(
      `PORT is ${environment.PORT}, and IDENTITY_PORT is ${port}. Where a host gives each program its port so, set it to the same number, and IDENTITY_HOST to 0.0.0.0.`,
    );
  }
  // Without a master secret, the keys are the public ones of development.
  if (configs.service.masterSecret !== undefined && !forbidCoreFiles()) {
    log.warn(
      "Core files cannot be forbidden here (prlimit does it on Linux): a crash may write the keys to one. Set LimitCORE=0 (systemd) or ulimit -c 0.",
    );
  }
  const { engine } = readDatabaseLocation(configs.service.databaseUrl);
  if (engine === "sqlite" && hasResetBug()) {
    log.warn(
      `This Node has SQLite ${process.versions.sqlite}, which can lose what is stored while another program writes to the store (https://sqlite.org/wal.html#walresetbug). Install the newest Node 24.`,
    );
  }
  const service = await startSigner(configs.service, { pages: await verifyPage(configs.page) });
  // Once its tables are there. A database that fails just now says so elsewhere.
  const others = await listOtherRoles(configs.service.databaseUrl).catch(() => []);
  if (others.length > 0) {
    log.warn(
      `Other roles can change the store, or read it: ${others.join(", ")}. Take their rights away (docs/store.md).`,
    );
  }
  return service;
}

/** The process ends after more time than the service needs, and then has not closed the store. */
const limit = { ms: 20_000, exitCode: 1 };

/** Waits until the process is asked to end, then lets the service end. On SIGTERM, which programs send, it first gives notice. */
const untilServiceStopped = ({ close, retire }: RunningService): Promise<void> =>
  untilStopped((signal) => (signal === "SIGTERM" ? retire() : close()), false, limit);
