import type { Request, Response, Router } from "express";
import type { z } from "zod";
import { endpoint } from "../http/endpoint.ts";
import { readJson } from "../http/jsonBody.ts";
import { sameOriginOnly } from "./guards.ts";

/** Creates an endpoint to which only the page's own scripts can post, in JSON. */
export const pageAction = <Body>(
  path: string,
  pageUrl: string,
  schema: z.ZodType<Body>,
  act: (body: Body, request: Request, response: Response) => Promise<void>,
): Router =>
  endpoint(path, {
    post: [
      sameOriginOnly(pageUrl),
      async (request, response) => act(await readJson(request, schema), request, response),
    ],
  });
