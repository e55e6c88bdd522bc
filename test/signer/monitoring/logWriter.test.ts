import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { serveChainWithRegistry } from "../../fixtures/chain/localChain.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { findFreePort } from "../../fixtures/freePort.ts";
import { identitySignerCommand } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const module = new URL("../../../signer/internal/monitoring/log.ts", import.meta.url).href;

describe("Log lines that were not written yet", () => {
  const endings: Record<string, readonly [statement: string, code: number]> = {
    "ends by itself": ["", 0],
    exits: ["process.exit(3)", 3],
    "fails by an error that nobody caught": ["throw new Error('fatal')", 1],
    "fails by a promise that nobody waited for": ["Promise.reject(new Error('fatal'))", 1],
  };
  for (const [how, [statement, expected]] of Object.entries(endings)) {
    it(`are written when the process ${how}, into a pipe`, async () => {
      const program = `
        import { createLogger } from ${JSON.stringify(module)};
        const logger = createLogger("info");
        for (let i = 0; i < 2_000; i++) logger.info({ i, padding: "x".repeat(100) }, "line");
        ${statement}`;
      const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
      expect(code).to.equal(expected);
      const lines = output
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).i);
      expect(lines).to.deep.equal(Array.from({ length: 2_000 }, (_, i) => i));
    });
  }

  it("keep no process that ends, where nobody reads them any more", async () => {
    const program = `
      import { createLogger } from ${JSON.stringify(module)};
      const logger = createLogger("info");
      process.stdin.once("end", () => {
        logger.info("the last one");
        process.exit(3);
      }).resume();
      console.error("ready");`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
    await once(child.stderr, "data");
    child.stdout.destroy();
    child.stdin.end();
    const [code] = await once(child, "close");
    expect(code).to.equal(3);
  });

  it("are written within a moment where there are few", async () => {
    const program = `
      import { createLogger } from ${JSON.stringify(module)};
      createLogger("info").info("the only one");
      setInterval(() => undefined, 1_000);`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [chunk] = await once(child.stdout, "data");
    expect(String(chunk)).to.include("the only one");
    child.kill("SIGKILL");
    await once(child, "close");
  });
});

describe("A log that cannot be written", () => {
  /** The fault of standard output → the action that causes it. */
  const outputs: Readonly<Record<string, (child: ChildProcess) => unknown>> = {
    "a full disk": () => undefined,
    "a reader that is gone": ({ stdout }) => stdout?.destroy(),
    "a reader that stands still": ({ stdout }) => stdout?.pause(),
  };
  const outputOf = (name: string) => (name === "a full disk" ? openSync("/dev/full", "w") : "pipe");

  for (const [name, use] of Object.entries(outputs)) {
    it(`does not keep the service from serving and ending: ${name}`, async () => {
      const { rpcUrl, registry } = await serveChainWithRegistry();
      const port = String(await findFreePort());
      const environment = {
        IDENTITY_PORT: port,
        IDENTITY_RPC_URL: rpcUrl,
        IDENTITY_REGISTRY: await registry.getAddress(),
        IDENTITY_DATABASE_URL: `file:${join(await temporaryFolder(), "identity.sqlite")}`,
        IDENTITY_RATE_LIMIT: "0",
      };
      const [program, args, options] = identitySignerCommand([], environment);
      const child = spawn(program, args, { ...options, stdio: ["ignore", outputOf(name), "ignore"] });
      onCleanup(() => child.kill("SIGKILL"));
      use(child);
      const ask = (path: string) =>
        fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(10_000) });
      while (!(await ask("/healthz").catch(() => undefined))?.ok) await delay(50);
      // Each has a line; a pipe takes some three hundred of them.
      for (let i = 0; i < 25; i++) await Promise.all(Array.from({ length: 20 }, () => ask("/nothing")));
      expect((await ask("/healthz")).status).to.equal(200);
      expect(await (await ask("/metrics")).text()).to.match(/^identity_log_lines_lost_total \d+$/m);
      child.kill("SIGINT");
      expect(await once(child, "exit")).to.deep.equal([0, null]);
    });
  }

  it("keeps its first lines, and says how many are missing each time that somebody reads on", async () => {
    const program = `
      import { createLogger } from ${JSON.stringify(module)};
      import { createMetrics } from ${JSON.stringify(module.replace("log.ts", "metrics.ts"))};
      const logger = createLogger("info");
      const fill = () => {
        for (let i = 0; i < 10_000; i++) logger.info({ padding: "x".repeat(1_000) }, "line");
        console.error("filled");
      };
      const countLost = async () =>
        Number(/^identity_log_lines_lost_total (\\d+)$/m.exec(await createMetrics().render({ checks: {} }, { connections: async () => {} }))[1]);
      process.stdin.on("data", fill).on("end", async () => {
        console.error(JSON.stringify([await countLost(), await countLost()]));
        logger.info("the last one");
      });`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
    onCleanup(() => child.kill("SIGKILL"));
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (part) => {
      output += part;
    });
    for (const times of [1, 2]) {
      child.stdout.pause();
      child.stdin.write("fill");
      await once(child.stderr, "data");
      child.stdout.resume();
      while (output.split("could not be written").length <= times) await delay(20);
    }
    child.stdin.end();
    const [counted] = await once(child.stderr, "data");
    await once(child, "close");
    const lines = output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const told = lines.filter(({ lost }) => lost > 0);
    expect(told).to.have.length(2);
    for (const one of told) {
      expect(one).to.include({ level: 40, reason: "EAGAIN" });
      expect(one.time).to.equal(new Date(one.time).toISOString());
    }
    const written = lines.filter(({ msg }) => msg === "line").length;
    const lost = told.reduce((sum, { lost }) => sum + lost, 0);
    expect([lost + written, JSON.parse(String(counted))]).to.deep.equal([20_000, [lost, lost]]);
    expect(lines.slice(0, 900).every(({ msg }) => msg === "line")).to.equal(true);
    expect(lines.at(-1)?.msg).to.equal("the last one");
  });
});
