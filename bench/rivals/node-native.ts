// Node's own HTTP server with the cryptography of a verification, and nothing else: the bare floor.
import { createServer } from "node:http";
import { issue } from "./cryptography.ts";
import { announce } from "./settings.ts";

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part) => parts.push(part));
  request.once("end", () => {
    const body = JSON.stringify(issue(JSON.parse(Buffer.concat(parts).toString())));
    response.setHeader("Content-Type", "application/json");
    response.setHeader("Content-Length", Buffer.byteLength(body));
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => announce(server));
