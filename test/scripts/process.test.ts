import { expect } from "chai";
import { startProcess } from "../fixtures/process.ts";
import { rejection } from "../fixtures/rejection.ts";

describe("A process that a test waits for", () => {
  const start = (script: string) => startProcess(process.execPath, ["-e", script]);
  const runsOn = `console.log("not what was meant"); setInterval(() => undefined, 1000);`;

  it("gives a process limited time to print what is wanted or to end, and then fails with what was printed", async () => {
    const child = start(runsOn);
    await child.waitFor(/meant/);
    const printed = "It printed:\nnot what was meant\n";
    expect((await rejection(child.waitFor(/ready/, 10))).message).to.include(
      `did not print /ready/ within 0.01 s. ${printed}`,
    );
    expect((await rejection(child.waitForEnd(10))).message).to.include(
      `did not end within 0.01 s. ${printed}`,
    );
    expect(await child.waitFor(/not \w+/)).to.equal("not what");
  });

  it("fails at once when a process ends before it has printed what is wanted", async () => {
    const child = start(`console.error("broken"); process.exitCode = 3;`);
    expect((await rejection(child.waitFor(/ready/))).message).to.include(
      "ended before it printed /ready/. It printed:\nbroken\n",
    );
    expect(await child.waitForEnd()).to.equal(3);
  });
});
