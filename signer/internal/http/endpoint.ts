import { type RequestHandler, Router } from "express";
import { ServiceError } from "../service/serviceError.ts";

/**
 * Creates a router for one path and its methods. `OPTIONS` lists the methods; any other method gets 405. The path is
 * also the route in the log.
 */
export function endpoint(
  path: string,
  handlers: { readonly get?: readonly RequestHandler[]; readonly post?: readonly RequestHandler[] },
): Router {
  const { get, post } = handlers;
  const methods = [...(get ? ["GET", "HEAD"] : []), ...(post ? ["POST"] : []), "OPTIONS"].join(", ");
  const router = Router({ caseSensitive: true, strict: true });
  const route = router.route(path);
  route.all((_request, response, next) => {
    response.locals.route = path;
    next();
  });
  route.options((_request, response) => {
    response.setHeader("Allow", methods);
    response.setHeader("Access-Control-Allow-Methods", methods);
    response.status(204).end();
  });
  if (get?.length) route.get(...get);
  if (post?.length) route.post(...post);
  route.all((request, response) => {
    response.setHeader("Allow", methods);
    throw new ServiceError("method_not_allowed", `${path} takes ${methods}, not ${request.method}.`);
  });
  return router;
}

/** Answers all requests with the same JSON, which is serialized once. */
export function constantJson(value: object): RequestHandler {
  const body = Buffer.from(JSON.stringify(value));
  return (_request, response) => void response.type("json").send(body);
}

/** Keeps a response out of every cache. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader("Cache-Control", "no-store");
  next();
};
