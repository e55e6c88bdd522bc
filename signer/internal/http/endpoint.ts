import { type RequestHandler, Router } from "express";
import { ServiceError } from "../service/serviceError.ts";

/**
 * One path and the methods that it takes: `OPTIONS` says which, any other method is 405. The path is also what the
 * log calls the request.
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
  if (get) route.get(...get);
  if (post) route.post(...post);
  route.all((request, response) => {
    response.setHeader("Allow", methods);
    throw new ServiceError("method_not_allowed", `${path} takes ${methods}, not ${request.method}.`);
  });
  return router;
}
