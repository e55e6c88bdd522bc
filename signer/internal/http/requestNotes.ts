import type { ServerResponse } from "node:http";

/** Notes on a request while it is handled. */
export interface Noted {
  readonly requestId: string;
  /** The name of the client; see clientAddress.ts. */
  readonly client: string;
  /** The path of the matching endpoint. */
  route: string;
  /** The code of the problem in the response. */
  code?: string;
  /** The cause of an outage, for the log. */
  reason?: string | undefined;
}

/** Returns the notes, which are in `locals`, so that Express's handlers find them as well. */
export function noted(response: ServerResponse): Noted {
  return (response as ServerResponse & { locals: Noted }).locals;
}

/** Starts the notes on a request. */
export function note(response: ServerResponse, start: Noted): void {
  Object.assign(response, { locals: start });
}
