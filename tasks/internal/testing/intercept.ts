import type { JsonRpcRequest, JsonRpcResponse } from "hardhat/types/providers";
import type { Intercept } from "./attack.ts";

/** The handlers by their connection's provider. */
const handlers = new WeakMap<object, Intercept>();

/** Lets a handler see what a connection sends and signs, until the next call. */
export function intercept(provider: object, handler: Intercept | undefined): void {
  if (handler === undefined) handlers.delete(provider);
  else handlers.set(provider, handler);
}

const seen: ReadonlySet<string> = new Set([
  "eth_sendTransaction",
  "eth_sendRawTransaction",
  "eth_estimateGas",
  "eth_getTransactionByHash",
  "eth_getTransactionReceipt",
  "eth_signTypedData_v4",
  "personal_sign",
]);

/** Passes a request through the connection's handler; `undefined` if it has none for the request. */
export function passIntercepted(
  provider: object,
  request: JsonRpcRequest,
  next: (request: JsonRpcRequest) => Promise<JsonRpcResponse>,
): Promise<JsonRpcResponse> | undefined {
  const handler = handlers.get(provider);
  if (handler === undefined || !seen.has(request.method)) return undefined;
  return answer(handler, request, next);
}

async function answer(
  handler: Intercept,
  request: JsonRpcRequest,
  next: (request: JsonRpcRequest) => Promise<JsonRpcResponse>,
): Promise<JsonRpcResponse> {
  const params = Array.isArray(request.params) ? request.params : [];
  const result = await handler(request.method, params, async (method, passed) => {
    const response = await next({ ...request, method, params: [...passed] });
    if ("error" in response) throw Object.assign(new Error(response.error.message), response.error);
    return response.result;
  });
  return { jsonrpc: "2.0", id: request.id, result };
}
