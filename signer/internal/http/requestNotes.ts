import type { ServerResponse } from "node:http";

/** What is noted of a request while it is handled. */
export interface Noted {
  readonly requestId: string;
  /** See clientAddress.ts. */
  readonly client: string;
  /** The path of the endpoint that it matched. */
  route: string;
  /** Of the problem that it is answered with. */
  code?: string;
}

/** Where it stands, so that Express's handlers find it as well. */
export function noted(response: ServerResponse): Noted {
  return (response as ServerResponse & { locals: Noted }).locals;
}

/** Starts the notes of a request. */
export function note(response: ServerResponse, start: Noted): void {
  Object.assign(response, { locals: start });
}
