import { parseArgs } from "node:util";

/** What the command line of `bench/failover.ts` and `bench/chaos.ts` asks for. */
export interface Command {
  /** How often the primary is killed. */
  readonly kills: number;
  /** Seconds that each step of the other script lasts, at least. */
  readonly seconds: number;
  readonly readers: number;
  readonly writers: number;
  readonly people: number;
  /** Seconds by which the service may be back later than the database. */
  readonly grace: number;
  readonly source: boolean;
  readonly json: boolean;
  readonly writeDocs: boolean;
  readonly help: boolean;
  readonly onStep: (step: string) => void;
}

export const help = `node bench/failover.ts [options]   kills the database's primary under load, again and again
node bench/chaos.ts [options]      kills, stops and puts off one part after the other

Options
  --kills <n>       of failover (20)
  --seconds <n>     of each step of chaos, at least (5)
  --readers <n>     people who ask at the same time (8)
  --writers <n>     credentials that are written at the same time (4)
  --people <n>      who ask, besides those who are written about (64)
  --grace <n>       seconds by which the service may be back later than the database (2)
  --source          the service from its sources, not packed: quicker to begin with
  --json            the report as JSON on standard output
  --write-docs      add the report to bench/failover.json, and write docs/failover.md anew
  --help            this text
`;

/** @throws Error when it is not understood. */
export function readCommand(args: readonly string[], onStep: (step: string) => void): Command {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { ...text, default: "20" },
      seconds: { ...text, default: "5" },
      readers: { ...text, default: "8" },
      writers: { ...text, default: "4" },
      people: { ...text, default: "64" },
      grace: { ...text, default: "2" },
      source: flag,
      json: flag,
      "write-docs": flag,
      help: flag,
    },
  });
  const count = (name: string, value: string) => {
    if (/^[1-9]\d*$/.test(value)) return Number(value);
    throw new Error(`--${name} takes a whole number above 0, not ${value}.`);
  };
  return {
    kills: count("kills", values.kills),
    seconds: count("seconds", values.seconds),
    readers: count("readers", values.readers),
    writers: count("writers", values.writers),
    people: count("people", values.people),
    grace: count("grace", values.grace),
    source: values.source,
    json: values.json,
    writeDocs: values["write-docs"],
    help: values.help,
    onStep,
  };
}
