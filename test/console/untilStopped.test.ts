import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { startProcess } from "../fixtures/process.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

/** Starts a command that goes on until it is asked to end, and then stops in a way. */
async function startCommand(stop: string, limit = "{ ms: 60_000, exitCode: 0 }") {
  const started = startProcess(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import { untilStopped } from "${root}/packages/console/untilStopped.ts";
       setInterval(() => undefined, 1_000);
       setImmediate(() => console.log("ready"));
       await untilStopped(async (signal) => { console.log("got", signal); ${stop} }, true, ${limit});`,
    ],
    { cwd: root },
  );
  await started.waitFor(/ready/);
  return started;
}

describe("A command that runs until it is stopped", () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it(`stops what it runs at ${signal}, says so, and exits with 0`, async () => {
      const command = await startCommand("");
      expect(await command.stop(signal)).to.equal(0);
      expect(command.output()).to.equal(
        `ready\n\nStopping …\ngot ${signal}\nStopped; nothing is left running.\n`,
      );
    });

    it(`ends at once with 1 when ${signal} comes a second time`, async () => {
      const command = await startCommand("await new Promise(() => undefined);");
      command.process.kill("SIGINT");
      await command.waitFor(/got SIGINT/);
      await delay(600);
      expect(await command.stop(signal)).to.equal(1);
    });

    it(`takes ${signal}, which the terminal and a launcher such as npx both send, for one request`, async () => {
      const command = await startCommand("await new Promise((end) => setTimeout(end, 1_500));");
      command.process.kill(signal);
      await command.waitFor(/got/);
      expect(await command.stop(signal)).to.equal(0);
      expect(command.output().match(/got/g)).to.have.length(1);
    });
  }

  it("does not wait for ever for what does not end, and exits with the code that is for that", async () => {
    for (const exitCode of [0, 1]) {
      const limit = `{ ms: 200, exitCode: ${exitCode} }`;
      const command = await startCommand("await new Promise(() => undefined);", limit);
      expect(await command.stop("SIGTERM")).to.equal(exitCode);
      expect(command.output()).not.to.include("nothing is left running");
    }
  });
});
