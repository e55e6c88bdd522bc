import { connect, type Socket } from "node:net";
import type { PreparedRequest } from "./task.ts";

/** What became of a request: its status and body; 0 and why when it was not answered. */
export type OnAnswer = (status: number, body: Buffer) => void;

/** A connection that is kept alive, for one request at a time. */
export interface Connection {
  send(request: Buffer, onAnswer: OnAnswer): void;
  close(): void;
}

/**
 * HTTP as far as a measurement needs it: Node's own client takes as much time as what is measured.
 *
 * @param from The address that it comes from, where the system has several on loopback.
 */
export function openConnection(url: string, from: string | undefined): Connection {
  const { hostname: host, port } = new URL(url);
  let socket: Socket | undefined;
  let received: Buffer | undefined;
  let waiting: OnAnswer | undefined;

  function settle(status: number, body: Buffer): void {
    const onAnswer = waiting;
    waiting = undefined;
    received = undefined;
    onAnswer?.(status, body);
  }

  function open(): Socket {
    const opened = connect({ host, port: Number(port), ...(from && { localAddress: from }), noDelay: true });
    let problem = "The connection was closed.";
    opened.on("data", (chunk) => {
      received = received === undefined ? chunk : Buffer.concat([received, chunk]);
      const answer = readAnswer(received);
      if (answer !== undefined) settle(answer.status, answer.body);
    });
    opened.once("error", (error) => {
      problem = error.message;
    });
    opened.once("close", () => {
      if (socket === opened) socket = undefined;
      settle(0, Buffer.from(problem));
    });
    return opened;
  }

  return {
    send(request, onAnswer) {
      waiting = onAnswer;
      socket ??= open();
      socket.write(request);
    },
    close: () => socket?.destroy(),
  };
}

/** The answer, once all of it is there. One without a length is none of those that are measured. */
export function readAnswer(bytes: Buffer): { status: number; body: Buffer } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) return { status: 0, body: Buffer.from("The answer has no length.") };
  const from = end + 4;
  const to = from + Number(length);
  if (bytes.length < to) return undefined;
  // A copy: the chunk that it stands in is much larger.
  return { status: Number(head.slice(9, 12)), body: Buffer.from(bytes.subarray(from, to)) };
}

/** A request as it goes over the wire: a POST for a verification, or a GET with as long a header as a browser may send. */
export function frame(url: string, { body, path }: Pick<PreparedRequest, "body" | "path">): Buffer {
  const head = [
    path === undefined ? "POST /v1/onchain_verifications HTTP/1.1" : `GET ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    ...(path === undefined
      ? ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]
      : [`Accept-Language: ${"en;q=0.1,".repeat(1_600)}en`]),
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${path === undefined ? body : ""}`);
}
