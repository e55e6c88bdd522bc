import { InvalidInputError } from "../../../../protocol/errors.ts";

/** The functions that a thread offers to the one at the other end of a channel. */
// biome-ignore lint/suspicious/noExplicitAny: of functions with any parameters
type Offer = { readonly [Name: string]: (...args: any[]) => unknown };

/** A channel between two threads: a worker, or its port to the parent. */
interface Channel {
  on(event: "message", listener: (message: unknown) => void): unknown;
  send?(message: object, callback?: (error: Error | null) => void): unknown;
}

/** The thread at the other end of a channel. */
export interface OtherThread<Offered extends Offer> {
  /** Calls a function of the thread. Fails if the function fails or the thread ends. */
  call<Name extends keyof Offered & string>(
    name: Name,
    ...args: Parameters<Offered[Name]>
  ): Promise<Awaited<ReturnType<Offered[Name]>>>;
  /** Rejects all calls without an answer. */
  end(reason: Error): void;
}

/** The messages of calls. The channel may have others. */
type Message =
  | { readonly identity: "call"; readonly id: number; readonly name: string; readonly args: unknown[] }
  | {
      readonly identity: "answer";
      readonly id: number;
      readonly value?: unknown;
      readonly failure?: Failure;
    };

interface Failure {
  readonly message: string;
  readonly stack: string;
  readonly isInput: boolean;
}

/** Lets two threads call each other. */
export function callsOver<Offered extends Offer>(channel: Channel, own: Offer): OtherThread<Offered> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let calls = 0;

  async function answer({ id, name, args }: Extract<Message, { identity: "call" }>): Promise<Message> {
    try {
      return { identity: "answer", id, value: await own[name]?.(...args) };
    } catch (error) {
      return { identity: "answer", id, failure: describe(error) };
    }
  }

  function send(message: Message, failed: (error: Error) => void): void {
    channel.send?.(message, (error) => error && failed(error));
  }

  channel.on("message", (received) => {
    const message = received as Message | undefined;
    if (message?.identity === "call") {
      // A caller that does not get the answer has ended.
      void answer(message).then((answered) => send(answered, () => undefined));
    } else if (message?.identity === "answer") {
      const call = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.failure === undefined) call?.resolve(message.value);
      else call?.reject(restore(message.failure));
    }
  });

  return {
    call(name, ...args) {
      const id = ++calls;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
        send({ identity: "call", id, name, args }, reject);
      });
    },
    end(reason) {
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}

function describe(error: unknown): Failure {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  return { message, stack, isInput: error instanceof InvalidInputError };
}

function restore({ message, stack, isInput }: Failure): Error {
  const error = isInput ? new InvalidInputError(message) : new Error(message);
  return Object.assign(error, { stack });
}
