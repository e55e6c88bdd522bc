import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePort } from "../../test/fixtures/freePort.ts";
import type { Environment } from "../environment/environment.ts";
import { startProcess } from "../environment/process.ts";
import { root } from "../environment/repository.ts";
import { find } from "./programs.ts";

/** The program; undefined if it is not installed. */
export const haproxy = find("haproxy");

/** Starts the shipped HAProxy before services, given by address. Returns its URL once a service is ready. */
export async function startProxy(
  { folder, keep }: Environment,
  services: readonly string[],
): Promise<string> {
  const address = `127.0.0.1:${await findFreePort()}`;
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, configureProxy(address, services));
  const command = [String(haproxy), "-db", "-f", file] as const;
  const proxy = keep(await startProcess({ name: "haproxy", folder, command }));
  const url = `http://${address}`;
  for (const end = performance.now() + 60_000; !(await isReady(url)); await delay(100)) {
    if (performance.now() > end) throw new Error(`The service does not become ready:\n${proxy.output()}`);
  }
  return url;
}

/** Returns the shipped configuration file, with these addresses and without a certificate. */
function configureProxy(address: string, services: readonly string[]): string {
  const shipped = readFileSync(join(root, "deploy/haproxy/haproxy.cfg"), "utf8");
  const servers = services.map((service, i) => `  server r${i} ${service}\n`).join("");
  return shipped
    .replaceAll(/^ {2}bind .*\n/gm, "")
    .replace("frontend public\n", `frontend public\n  bind ${address}\n`)
    .replace(/(?: {2}server \S+ \S+\n)+/g, servers);
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
