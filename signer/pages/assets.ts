import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import express, { type RequestHandler, Router } from "express";

/** How what is compressed beside a file ends, the smallest first, by what browsers call it. */
const encodings = { br: ".br", gzip: ".gz" } as const;

/** A page's scripts and styles, compressed for browsers that can read that: its bundle has them in each form. */
export function assets(folder: string): Router {
  const router = Router();
  router.use(chooseCompressed(folder));
  router.use(
    express.static(folder, {
      index: false,
      redirect: false,
      // Their names carry a hash of their content.
      setHeaders: (response, path) => {
        response.setHeader("Cache-Control", "public, max-age=31536000, immutable");
        if (response.getHeader("Content-Encoding")) response.type(path.replace(/^.*?\.(js|css)\.\w+$/, "$1"));
      },
    }),
  );
  return router;
}

function chooseCompressed(folder: string): RequestHandler {
  return (request, response, next) => {
    const file = basename(request.path);
    const offered = Object.entries(encodings).filter(([, end]) => existsSync(join(folder, file + end)));
    if (request.path !== `/${file}` || offered.length === 0) return next();
    response.vary("Accept-Encoding");
    const accepted = request.acceptsEncodings(...offered.map(([encoding]) => encoding));
    const chosen = offered.find(([encoding]) => encoding === accepted);
    if (chosen === undefined) return next();
    const [encoding, end] = chosen;
    response.setHeader("Content-Encoding", encoding);
    request.url = `/${file}${end}`;
    next();
  };
}
