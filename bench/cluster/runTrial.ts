import { execFileSync } from "node:child_process";
import { printReport } from "../report/print.ts";
import type { Measured } from "../report/report.ts";
import { hardhatCli, root } from "../repository.ts";
import { describeMachine } from "../stage/machine.ts";
import { type Command, help, readCommand } from "./command.ts";
import { type Scene, setScene } from "./scene.ts";
import { writeTrial } from "./writeTrial.ts";

/** Runs a trial as the command line says, reports it, and fails the process where a promise was not kept. */
export async function runTrial(
  name: string,
  title: string,
  measure: (scene: Scene, command: Command) => Promise<Measured>,
): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const started = performance.now();
  try {
    const command = readCommand(process.argv.slice(2), (step) => {
      console.error(`${((performance.now() - started) / 1_000).toFixed(1).padStart(7)} s  ${step}`);
    });
    if (command.help) process.stdout.write(help);
    else await report(name, title, command, measure);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  // What was started has ended, or ends with this process.
  process.exit();
}

async function report(
  name: string,
  title: string,
  command: Command,
  measure: (scene: Scene, command: Command) => Promise<Measured>,
): Promise<void> {
  execFileSync(process.execPath, [hardhatCli, "build", "--quiet", "--no-tests"], {
    cwd: root,
    stdio: "inherit",
  });
  const scene = await setScene(command);
  const measured = new Date().toISOString().slice(0, 10);
  const machine = await describeMachine(undefined);
  const result = { title, measured, machine, ...(await measure(scene, command)) };
  await scene.close();
  if (command.json) console.log(JSON.stringify(result, null, 2));
  else printReport(result);
  if (command.writeDocs) await writeTrial(name, result);
  if (result.targets.some(({ met }) => !met)) process.exitCode = 1;
}
