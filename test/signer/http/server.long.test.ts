import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { pino } from "pino";
import { createHttpServer, serve } from "../../../signer/internal/http/server.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";

/** The bytes that a client sends at once and then one by one, and the seconds after which the server ends the connection. */
const slowClients = {
  headers: { first: "GET / HTTP/1.1\r\nX: ", bytes: "x", seconds: 10 },
  "a body": { first: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n", bytes: "x", seconds: 20 },
  "nothing more": { first: "GET / HTTP/1.1\r\nHost: x\r\n\r\n", bytes: "", seconds: 30 },
};

describe("The HTTP server's limits of time", () => {
  it("limits the time for headers, for a request, and for a connection on which nothing moves", async () => {
    const server = createHttpServer();
    serve(server, (request) => void request.resume(), { logger: pino({ level: "silent" }) });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onCleanup(() => server.close());
    const { port } = server.address() as AddressInfo;
    const ended = Object.entries(slowClients).map(async ([what, { first, bytes, seconds }]) => {
      const began = performance.now();
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      socket.resume().write(first);
      const isEnded = once(socket, "close");
      const trickle = setInterval(() => socket.write(bytes), 1_000);
      await Promise.race([isEnded, delay(2 * seconds * 1_000)]);
      clearInterval(trickle);
      socket.destroy();
      // The server looks at headers and requests every two seconds.
      expect((performance.now() - began) / 1_000, what).to.be.within(seconds - 0.5, seconds + 5);
    });
    await Promise.all(ended);
  }).timeout(90_000);
});
