import { execFileSync } from "node:child_process";
import { startProgress } from "../progress.ts";
import { conclude } from "../report/print.ts";
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
  const onStep = startProgress();
  try {
    const command = readCommand(process.argv.slice(2), onStep);
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
  conclude(result, command.json);
  if (command.writeDocs) await writeTrial(name, result);
}
