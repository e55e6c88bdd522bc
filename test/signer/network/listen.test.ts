import { createServer } from "node:net";
import { expect } from "chai";
import { listen } from "../../../signer/internal/network/listen.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";

describe("A listening server", () => {
  it("outlives connections that the system could not accept", async () => {
    const server = createServer();
    onCleanup(() => server.close());
    await listen(server, { host: "127.0.0.1", port: 0 });
    // As Node tells them: too many open files on the machine, or a packet filter that refused the connection.
    for (const code of ["ENFILE", "ENOBUFS", "EPERM"])
      server.emit("error", Object.assign(new Error(`accept ${code}`), { code, syscall: "accept" }));
    expect(server.listening).to.equal(true);
  });
});
