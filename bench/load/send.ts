import { type Connection, frame, openConnection } from "./connection.ts";
import type { LoadTask } from "./task.ts";

/** One answer with its times, in milliseconds. */
export interface Answer {
  /** The index of the task's request that it answers. */
  readonly request: number;
  readonly status: number;
  readonly body: Buffer;
  /** The time at which the request should have been sent, so that waiting for a connection counts. */
  readonly due: number;
  readonly at: number;
}

/** Sends a task's requests at its pace and keeps every answer. It checks nothing during the measurement. */
export function send({
  url,
  pace,
  connections,
  requests,
  seconds,
  atMost = Infinity,
  isAttack = false,
}: LoadTask): Promise<Answer[]> {
  const framed = requests.map((request) => frame(url, request));
  // A service may treat each address as one client.
  const isSpread = process.platform === "linux" && !isAttack;
  const idle = Array.from({ length: connections }, (_, i) =>
    openConnection(url, isSpread ? `127.0.0.${2 + (i % 250)}` : undefined),
  );
  const all = [...idle];
  const answers: Answer[] = [];
  const started = performance.now();
  const end = started + seconds * 1_000;
  let sent = 0;
  const goesOn = (now: number) => now < end && sent < atMost;

  function sendOne(connection: Connection, due: number, onDone: (now: number) => void): void {
    const request = sent++ % framed.length;
    connection.send(framed[request] as Buffer, (status, body) => {
      const at = performance.now();
      answers.push({ request, status, body, due, at });
      onDone(at);
    });
  }

  return new Promise((resolve) => {
    const finish = () => {
      for (const connection of all) connection.close();
      resolve(answers);
    };

    function sendClosed(connection: Connection, now: number): void {
      if (goesOn(now)) sendOne(connection, now, (at) => sendClosed(connection, at));
      else if (answers.length === sent) finish();
    }

    function sendIdle(connection: Connection, pauseMs: number): void {
      const now = performance.now();
      if (goesOn(now))
        sendOne(connection, now, () => void setTimeout(sendIdle, pauseMs, connection, pauseMs));
      else finish();
    }

    function sendOpen(rate: number): void {
      const chance = reproducibleChance();
      const late: number[] = [];
      // One comes at once, so that there is one however short the task.
      let due = started;
      const next = () => {
        // Poisson arrivals, like those of independent clients.
        due += (-Math.log(1 - chance()) / rate) * 1_000;
      };
      const work = () => {
        for (let connection = idle.shift(); connection !== undefined; connection = idle.shift()) {
          const since = late.shift();
          if (since === undefined) return void idle.unshift(connection);
          const used = connection;
          sendOne(used, since, () => {
            idle.push(used);
            work();
          });
        }
      };
      const look = () => {
        const now = performance.now();
        for (; due <= now && due < end && sent + late.length < atMost; next()) late.push(due);
        work();
        const isOver = due >= end || sent + late.length >= atMost;
        if (isOver && late.length === 0 && answers.length === sent) return finish();
        // A timer is at least a millisecond late, so the last moments before a request are polled.
        if (due - now > 3 && !isOver) setTimeout(look, due - now - 2);
        else if (isOver) setTimeout(look, 1);
        else setImmediate(look);
      };
      look();
    }

    const [first] = idle;
    if (first === undefined) throw new Error("There is no connection to send on.");
    if (pace.kind === "closed") for (const connection of idle) sendClosed(connection, performance.now());
    else if (pace.kind === "idle") sendIdle(first, pace.pauseMs);
    else sendOpen(pace.rate);
  });
}

/** Returns a generator (mulberry32) of numbers from 0 to 1, the same in every round. */
function reproducibleChance(): () => number {
  let state = 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
