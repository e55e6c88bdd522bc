import { connect, type Socket } from "node:net";
import type { PreparedRequest } from "./task.ts";

/** Called with the status and the body of an answer, or with 0 and the reason if there is none. */
export type OnAnswer = (status: number, body: Buffer) => void;

/** A keep-alive connection for one request at a time. */
export interface Connection {
  send(request: Buffer, onAnswer: OnAnswer): void;
  close(): void;
}

/**
 * Opens a connection with as much of HTTP as a measurement needs: Node's own client takes as much time as the server.
 *
 * @param from The source address, if the system has several on loopback.
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

/** Returns the answer once it is complete. Answers without a length are errors here. */
function readAnswer(bytes: Buffer): { status: number; body: Buffer } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) return { status: 0, body: Buffer.from("The answer has no length.") };
  const from = end + 4;
  const to = from + Number(length);
  if (bytes.length < to) return undefined;
  // A copy, because the chunk around it is much larger.
  return { status: Number(head.slice(9, 12)), body: Buffer.from(bytes.subarray(from, to)) };
}

/** Returns a request's bytes: a POST for a verification, or a GET with as long a header as a browser may send. */
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
