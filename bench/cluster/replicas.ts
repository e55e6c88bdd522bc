import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "../repository.ts";
import { type Setting, serviceEnvironment } from "../stage/servers.ts";
import { findFreePorts } from "./ports.ts";
import { startDaemon } from "./processes.ts";
import type { Programs } from "./programs.ts";

/** One process of the service. */
export interface Replica {
  readonly name: string;
  readonly url: string;
  /**
   * Starts it where it has ended, and waits until it listens.
   *
   * @param clock Seconds by which its clock is off; 0 when left out.
   */
  start(clock?: number): Promise<void>;
  /** Ends it: SIGKILL, or SIGTERM to let its requests end. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** How many verifications it has issued. */
  countIssued(): Promise<number>;
}

/** Replicas of a service, and HAProxy in front of them. */
export interface Replicas {
  /** HAProxy's. */
  readonly url: string;
  readonly replicas: readonly Replica[];
  stop(): Promise<void>;
}

const startLimit = 60_000;

/** @param input.program `signer/cli/identity-signer.ts`, or what is packed of it. */
export async function startReplicas(input: {
  folder: string;
  programs: Programs;
  setting: Pick<Setting, "chain" | "signingKey" | "secret">;
  databaseUrl: string;
  program: string;
}): Promise<Replicas> {
  const { folder, programs } = input;
  const [entry = 0, ...ports] = await findFreePorts(4);
  const replicas = ports.map((port, i) => describeReplica({ ...input, name: `r${i + 1}`, port }));
  const balancer = startDaemon({
    name: "haproxy-service",
    folder,
    command: [programs.haproxy, "-db", "-f", join(root, "bench/cluster/haproxy-service.cfg")],
    env: () => ({
      LISTEN: `127.0.0.1:${entry}`,
      ERRORFILE: join(root, "bench/cluster/haproxy-503.http"),
      ...Object.fromEntries(ports.map((port, i) => [`REPLICA${i + 1}`, `127.0.0.1:${port}`])),
    }),
  });
  const url = `http://127.0.0.1:${entry}`;
  const stop = async () => {
    await Promise.all([balancer.end("SIGKILL"), ...replicas.map((replica) => replica.end("SIGKILL"))]);
  };
  try {
    await Promise.all(replicas.map((replica) => replica.start()));
    await waitFor(`${url}/readyz`, () => balancer.output());
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, replicas, stop };
}

function describeReplica(input: {
  folder: string;
  programs: Programs;
  setting: Pick<Setting, "chain" | "signingKey" | "secret">;
  databaseUrl: string;
  program: string;
  name: string;
  port: number;
}): Replica {
  const { folder, programs, setting, name, port } = input;
  const env = {
    ...serviceEnvironment({ ...setting, curve: undefined }, input.databaseUrl),
    IDENTITY_PORT: String(port),
    IDENTITY_TRUST_PROXY: "1",
    NODE_ENV: "production",
  };
  const url = `http://127.0.0.1:${port}`;
  let clock = 0;
  const daemon = startDaemon({
    name,
    folder,
    command: [process.execPath, input.program],
    cwd: root,
    env: () => (clock === 0 ? env : { ...env, ...shiftClock(programs, clock) }),
  });
  return {
    name,
    url,
    async start(seconds = 0) {
      clock = seconds;
      daemon.start();
      await waitFor(`${url}/healthz`, () => daemon.output());
    },
    end: daemon.end,
    async countIssued() {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return Number(/^identity_verifications_total\{result="issued"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
    },
  };
}

/** The wall clock alone: by the other one a process measures how long something takes. */
const shiftClock = ({ faketime }: Programs, seconds: number) => ({
  LD_PRELOAD: faketime,
  FAKETIME: `${seconds < 0 ? "" : "+"}${seconds}s`,
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
});

/** Resolves when a URL is answered with 200. */
async function waitFor(url: string, output: () => string): Promise<void> {
  const end = performance.now() + startLimit;
  for (;;) {
    const status = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    if (performance.now() > end) throw new Error(`${url} answers ${status}:\n${output().slice(-3_000)}`);
    await delay(100);
  }
}
