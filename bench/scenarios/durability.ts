import { join } from "node:path";
import { findLost, killServer, killWriter } from "../../test/fixtures/signer/killedWrites.ts";
import { sharedPostgres } from "../../test/fixtures/signer/postgres.ts";
import type { Environment } from "../environment/environment.ts";
import type { Options } from "../options.ts";
import { type Measured, type Row, target } from "../report/report.ts";

/** Kills what writes and what is written to, and looks whether all is there that was acknowledged. */
export async function durability(environment: Environment, { kills, onStep }: Options): Promise<Measured> {
  const server = await sharedPostgres();
  const file = `file:${join(environment.folder, "durability.sqlite")}`;
  const trials = {
    "Service killed, SQLite": [file, killWriter],
    "Service killed, PostgreSQL": [await server.createDatabase(), killWriter],
    "PostgreSQL killed": [
      await server.createDatabase(),
      (options: Parameters<typeof killWriter>[0]) => killServer(server, options),
    ],
  } as const;
  const rows: Row[] = [];
  for (const [name, [databaseUrl, kill]] of Object.entries(trials)) {
    onStep(name);
    const options = { databaseUrl, masterSecret: environment.secret };
    const acknowledged: string[] = [];
    for (let i = 0; i < kills; i++) acknowledged.push(...(await kill(options)));
    const lost = (await findLost(options, acknowledged)).length;
    rows.push({ name, values: { kills, acknowledged: acknowledged.length, lost } });
  }
  const lost = rows.reduce((sum, { values }) => sum + (values.lost ?? Number.NaN), 0);
  return {
    notes: [],
    columns: ["kills", "acknowledged", "lost"].map((key) => ({ key, heading: key, digits: 0 })),
    rows,
    targets: [target("No acknowledged credential is lost", lost, { atMost: 0 }, (count) => `${count} lost`)],
  };
}
