import { stripVTControlCharacters } from "node:util";
import { expect } from "chai";
import { describeLine } from "../../packages/dev/internal/tellLine.ts";
import { setEnvironment } from "../fixtures/environment.ts";

describe("The service's log at the terminal of identity dev", () => {
  const time = new Date(2026, 10, 28, 18, 46, 5).toISOString();
  const read = (line: object) =>
    stripVTControlCharacters(describeLine(JSON.stringify(line))).replaceAll(/[\w-]{36}/g, "");

  it("says when what happened, and its fields, without braces or the request's id", () => {
    const msg = "A sign-in at a provider failed.";
    const line = { level: 40, time, requestId: "a1", provider: "microblog", reason: "denied", msg };
    expect(read(line)).to.equal(`18:46 ${msg} (provider: microblog, reason: denied)`);
    expect(read({ level: 30, time, msg: "ended" })).to.equal("18:46 ended");
    expect(read({ level: 30, time, lost: 3, msg: "lost" })).to.equal("18:46 lost (lost: 3)");
  });

  it("says in yellow what may go wrong, and in red what did", () => {
    setEnvironment({ FORCE_COLOR: "1", NO_COLOR: undefined });
    const colours = [30, 40, 50, 60].map((level) => {
      const line = describeLine(JSON.stringify({ level, time, msg: "said" }));
      return ["[31m", "[33m"].filter((colour) => line.includes(`\u001b${colour}`)).join();
    });
    expect(colours).to.deep.equal(["", "[33m", "[31m", "[31m"]);
  });
});
