import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders } from "node:http";

/** The trace that a request belongs to (W3C Trace Context), as its client says. */
export interface Trace {
  /** 16 bytes hex. */
  readonly traceId: string;
  /** What goes on with what the request causes. This service adds no span of its own. */
  readonly headers: Readonly<Record<string, string>>;
}

const current = new AsyncLocalStorage<Trace>();

/** The trace of the request for whose sake this is done, if it has one. */
export const currentTrace = (): Trace | undefined => current.getStore();

/** Handles a request as part of its trace. One without costs nothing. */
export function withinTrace(headers: IncomingHttpHeaders, handle: () => void): void {
  const trace = headers.traceparent === undefined ? undefined : readTrace(headers);
  if (trace === undefined) handle();
  else current.run(trace, handle);
}

/** A later version may have more at its end, of which nothing is known. */
const traceparent =
  /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-[\x21-\x7e]*)?$/;

/** Longer than any that is told of. */
const maxTraceparent = 256;

function readTrace(headers: IncomingHttpHeaders): Trace | undefined {
  const given = String(headers.traceparent);
  const [, version, traceId, parentId, flags, rest] =
    (given.length <= maxTraceparent && traceparent.exec(given)) || [];
  if (traceId === undefined || (version === "00" && rest !== undefined)) return undefined;
  const tracestate = readTracestate(headers.tracestate);
  return {
    traceId,
    headers: {
      traceparent: `00-${traceId}-${parentId}-${flags}`,
      ...(tracestate !== undefined && { tracestate }),
    },
  };
}

const member =
  /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Characters, and members, up to which a state must be passed on; a longer one is not. */
const [maxLength, maxMembers] = [512, 32];

/** One with anything wrong in it is dropped as a whole; the trace goes on without. */
function readTracestate(given: string | string[] | undefined): string | undefined {
  const text = String(given ?? "");
  if (text.length > maxLength) return undefined;
  const members = text
    .split(",")
    .map((each) => each.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((each) => each !== "");
  const keys = new Set(members.map((each) => each.slice(0, each.indexOf("="))));
  const isValid = members.length <= maxMembers && keys.size === members.length;
  return isValid && members.length > 0 && members.every((each) => member.test(each))
    ? members.join(",")
    : undefined;
}
