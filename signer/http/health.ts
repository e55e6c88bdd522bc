import type { Router } from "express";
import { endpoint } from "./endpoint.ts";

/** `GET /healthz`: the process runs. It says nothing of what the process depends on: see `/readyz`. */
export function healthz(): Router {
  return endpoint("/healthz", {
    get: [
      (_request, response) => {
        response.setHeader("Cache-Control", "no-store");
        response.json({ status: "ok" });
      },
    ],
  });
}
