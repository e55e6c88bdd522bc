import { expect } from "chai";
import plugin from "../../tasks/index.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { announce } from "../fixtures/tasks/announcedStack.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** Arguments without which a task would do something here, by the task. No stack is found. */
const wrong: Readonly<Record<string, readonly string[]>> = {
  dev: ["--port", "x"],
  init: ["--kind", "nothing"],
  policy: ["--consumer", "0x12"],
  attack: ["Nothing"],
  verify: ["--deployment-id", "nothing"],
};

describe("Each task with --json", () => {
  const all = (plugin.tasks ?? [])
    .filter(({ type, id }) => type === "NEW_TASK" && id[0] === "identity")
    .map(({ id }) => id.slice(1).join(" "));
  // The others list their subtasks.
  const names = all.filter(
    (name) => !all.some((other) => other !== name && `${other} `.startsWith(`${name} `.trimStart())),
  );

  it("prints its error as one line of JSON on standard output and fails, and without in words on standard error", async () => {
    const env = { TMPDIR: await temporaryFolder() };
    expect(names).to.include.members(["mint", "credential set", "signers guard", ...Object.keys(wrong)]);
    for (const name of names) {
      const args = ["identity", ...name.split(" "), ...(wrong[name] ?? [])];
      const json = await runHardhat([...args, "--json"], { env });
      expect(json.stdout, `${name}: ${json.stderr}`).to.match(/^\{"error":\{"message":".+"\}\}\n$/);
      const { error } = JSON.parse(json.stdout);
      expect(error, name).to.have.all.keys("message");
      // An attack that could not be tried is a result, not an error, and makes the contract unsound.
      const status = name === "attack" ? 2 : 1;
      expect([json.code, json.stderr], name).to.deep.equal([status, ""]);
      const { code, stdout, stderr } = await runHardhat(args, { env });
      expect(stdout + stderr, name)
        .to.include(error.message)
        .and.not.match(/\n\s+at /);
      const [other, progress] = name === "attack" ? [stderr, "Building …\n"] : [stdout, ""];
      expect([code, other], name).to.deep.equal([status, progress]);
    }
  });

  it("says in JSON, too, that the chain's node is away", async () => {
    const away = `http://127.0.0.1:${await findFreePort()}`;
    const port = announce({ rpcUrl: away });
    const address = `0x${"12".repeat(20)}`;
    const hash = `0x${"34".repeat(32)}`;
    const consumer = ["--consumer", address];
    const verification = ["--identity-hash", hash, "--expiration", "1", "--signature", hash];
    for (const [name, ...options] of [
      ["mint", ...consumer, "--user", address, "--identity", "ann"],
      ["check", ...consumer, "--user", address, ...verification],
      ["policy", ...consumer],
      ["attack", ...consumer],
      ["request", ...consumer, "--account", "1"],
      ["storage", "--address", address, "--position", "0x0"],
      ["send-calls", "--to", address],
      ["signers list", "--registry", address],
      ["signers add", "--registry", address, "--signer", address],
    ] as const) {
      const args = ["identity", ...name.split(" "), ...options, "--port", port];
      const { code, stdout, stderr } = await runHardhat([...args, "--json"]);
      expect(stdout, `${name}: ${stderr}`).to.match(
        /^\{"error":\{"message":".*(Cannot connect|ECONNREFUSED).*"\}\}\n$/,
      );
      // An attack that could not be tried is a result, and 1 is for a fault.
      const isResult = name === "attack";
      const ending = isResult ? 2 : 1;
      expect([code, stderr], name).to.deep.equal([ending, ""]);
      const inWords = await runHardhat(args);
      const [said, other] = isResult ? [inWords.stdout, inWords.stderr] : [inWords.stderr, inWords.stdout];
      expect(said, name)
        .to.match(/Cannot connect|ECONNREFUSED/)
        .and.not.match(/\n\s+at /);
      expect([inWords.code, other], name).to.deep.equal([ending, ""]);
    }
  });
});
