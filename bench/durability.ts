// Kills, with SIGKILL, a process that writes to a store, and PostgreSQL under such writes, again and again, and looks
// whether all is there that was acknowledged.
//
//   node bench/durability.ts [times]    two hundred by default; 200 take some ten minutes
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hexlify, randomBytes } from "ethers";
import { findLost, killServer, killWriter } from "../test/fixtures/signer/killedWrites.ts";
import { sharedPostgres } from "../test/fixtures/signer/postgres.ts";

const times = Number(process.argv[2] ?? 200);
const folder = await mkdtemp(join(tmpdir(), "identity-durability-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const server = await sharedPostgres();

async function measure(
  name: string,
  databaseUrl: string,
  kill: (options: { databaseUrl: string; masterSecret: string }) => Promise<string[]>,
): Promise<void> {
  const options = { databaseUrl, masterSecret: hexlify(randomBytes(32)) };
  const acknowledged: string[] = [];
  for (let i = 0; i < times; i++) acknowledged.push(...(await kill(options)));
  const lost = await findLost(options, acknowledged);
  console.log(
    `${name}: ${times} kills, ${acknowledged.length} credentials acknowledged, ${lost.length} lost`,
  );
  if (lost.length > 0) process.exitCode = 1;
}

await measure("Service killed, SQLite", `file:${join(folder, "identity.sqlite")}`, killWriter);
await measure("Service killed, PostgreSQL", await server.createDatabase(), killWriter);
await measure("PostgreSQL killed", await server.createDatabase(), (options) => killServer(server, options));
