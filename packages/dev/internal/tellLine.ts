import { print, style } from "@hardhat-identity/console/print";
import { membersOf } from "@hardhat-identity/protocol/json";

/** Prints a line of the service's log for people. */
export const tellLine = (line: string): void => print(describeLine(line));

/** A line of the service's log as people read it: the time, what happened, and its fields but the request's id. */
export function describeLine(line: string): string {
  const { level, time, msg, requestId: _, ...fields } = membersOf(JSON.parse(line));
  const clock = new Date(String(time)).toTimeString().slice(0, 5);
  const told = Object.entries(fields).map(([name, value]) => `${name}: ${write(value)}`);
  const tone = Number(level) >= 50 ? "red" : "yellow";
  const said = Number(level) >= 40 ? style(tone, String(msg)) : String(msg);
  return [clock, said, ...(told.length > 0 ? [style("gray", `(${told.join(", ")})`)] : [])].join(" ");
}

const write = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
