// Express with the cryptography of a verification, and nothing else.
import express from "express";
import { issue } from "./cryptography.ts";
import { announce, path } from "./settings.ts";

const app = express();
app.post(path, express.json({ limit: "16kb" }), (request, response) => {
  response.json(issue(request.body));
});
const server = app.listen(0, "127.0.0.1", () => announce(server));
