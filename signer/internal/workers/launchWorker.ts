import cluster from "node:cluster";
import { once } from "node:events";
import { extname, join } from "node:path";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { ServicePlace } from "../runningService.ts";
import { callsOver, type OtherProcess } from "./calls.ts";
import type { ParentOffer, WorkerOffer, WorkerSettings } from "./offers.ts";

/** A worker, as the parent sees it. */
export interface WorkerProcess extends OtherProcess<WorkerOffer> {
  readonly number: number;
  /** Of the process, where it could be made. */
  readonly pid: number | undefined;
  /** Where it serves, once it does. Rejects with an InvalidInputError where it cannot as configured. */
  readonly started: Promise<ServicePlace>;
  /** How it ended. */
  readonly ended: Promise<string>;
  /** Ends it at once. */
  kill(): void;
}

/** In the language of this file, which is compiled for the package. */
const workerFile = join(import.meta.dirname, `worker${extname(import.meta.filename)}`);

export function launchWorker(number: number, settings: WorkerSettings, offer: ParentOffer): WorkerProcess {
  cluster.setupPrimary({ exec: workerFile, args: [], serialization: "advanced" });
  const worker = cluster.fork();
  const calls = callsOver<WorkerOffer>(worker, offer);
  const ended = once(worker, "exit").then(
    ([code, signal]) => (signal ? `${signal}` : `exit code ${code}`),
    (error: Error) => error.message,
  );
  void ended.then((how) =>
    calls.end(new InvalidInputError(`A worker of the service ended before it served (${how}).`)),
  );
  return {
    ...calls,
    number,
    pid: worker.process.pid,
    started: calls.call("start", number, settings),
    ended,
    kill: () => void worker.process.kill("SIGKILL"),
  };
}
