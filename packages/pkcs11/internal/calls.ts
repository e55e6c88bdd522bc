import type { MessagePort, Worker } from "node:worker_threads";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";

/** The functions that a worker offers. */
// biome-ignore lint/suspicious/noExplicitAny: of functions with any parameters
type Offer = { readonly [Name: string]: (...args: any[]) => Promise<unknown> };

/** Calls the functions of a worker. */
export interface Calls<Offered extends Offer> {
  /** Fails if the function fails or the worker ends. */
  call<Name extends keyof Offered & string>(
    name: Name,
    ...args: Parameters<Offered[Name]>
  ): ReturnType<Offered[Name]>;
  /** Rejects all calls without an answer. */
  end(reason: Error): void;
}

interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: { readonly message: string; readonly stack: string; readonly isInput: boolean };
}

/** Answers, in a worker, the calls that come over its port. */
export function answerCalls(port: MessagePort, offer: Offer): void {
  const answer = async ({ id, name, args }: Call): Promise<Answer> => {
    try {
      return { id, value: await offer[name]?.(...args) };
    } catch (error) {
      const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
      return { id, failure: { message, stack, isInput: error instanceof InvalidInputError } };
    }
  };
  port.on("message", async (call: Call) => port.postMessage(await answer(call)));
}

/** Calls a worker that uses {@link answerCalls}. */
export function callsTo<Offered extends Offer>(worker: Worker): Calls<Offered> {
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  let calls = 0;
  worker.on("message", ({ id, value, failure }: Answer) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (failure === undefined) call?.resolve(value as never);
    else call?.reject(restore(failure));
  });
  return {
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        const id = ++calls;
        waiting.set(id, { resolve, reject });
        worker.postMessage({ id, name, args } satisfies Call);
      }) as ReturnType<Offered[typeof name]>,
    end(reason) {
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}

function restore({ message, stack, isInput }: NonNullable<Answer["failure"]>): Error {
  const error = isInput ? new InvalidInputError(message) : new Error(message);
  return Object.assign(error, { stack });
}
