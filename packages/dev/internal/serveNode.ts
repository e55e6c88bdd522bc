import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { membersOf } from "@hardhat-identity/protocol/json";
import { listenOnLoopback } from "hardhat-identity/internal/stack/ports";

interface JsonRpcCall {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * Serves a connection's node on loopback to clients of JSON-RPC over HTTP, because a simulated network has no URL. The
 * server does not keep the process alive. It refuses requests of web pages, because the node's accounts are unlocked.
 */
export async function serveNode(node: Eip1193Connection) {
  const server = createServer(async (request, response) => {
    if (isFromPage(request)) return void response.writeHead(403).end();
    const asked = await readCalls(request);
    if (asked === undefined) return void response.writeHead(400).end();
    const answers = Array.isArray(asked)
      ? await Promise.all(asked.map((call) => answer(node, call)))
      : await answer(node, asked);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answers));
  });
  server.on("connection", (socket) => socket.unref());
  server.unref();
  return await listenOnLoopback(server);
}

async function answer(node: Eip1193Connection, { id, method, params }: JsonRpcCall): Promise<object> {
  try {
    return { jsonrpc: "2.0", id, result: await node.request({ method, params }) };
  } catch (error) {
    const { code, message, data } = membersOf(error);
    return {
      jsonrpc: "2.0",
      id,
      error: { code: typeof code === "number" ? code : -32_603, message: String(message), data },
    };
  }
}

/**
 * Returns whether a web page may have sent a request: across sites without a CORS preflight, or to a hostname that
 * resolves to this machine (DNS rebinding).
 */
function isFromPage({ headers, socket }: IncomingMessage): boolean {
  return (
    headers.origin !== undefined ||
    headers.host !== `${socket.localAddress}:${socket.localPort}` ||
    headers["content-type"] !== "application/json"
  );
}

/** Reads the calls of a request. Returns `undefined` if it is not JSON-RPC or the client has disconnected. */
async function readCalls(request: IncomingMessage): Promise<JsonRpcCall | JsonRpcCall[] | undefined> {
  try {
    const asked = JSON.parse(await text(request));
    return [asked].flat().every((call) => typeof call?.method === "string") ? asked : undefined;
  } catch {
    return undefined;
  }
}
