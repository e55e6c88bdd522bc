import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import type { Contract } from "ethers";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import { InvalidInputError } from "../../packages/protocol/errors.ts";
import { sendBatch } from "../../tasks/internal/wallet/sendBatch.ts";
import { deploy, serveLocalChain } from "../fixtures/chain/localChain.ts";
import { rejection } from "../fixtures/rejection.ts";
import { announce } from "../fixtures/tasks/announcedStack.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("identity send-calls", () => {
  let recorder: Contract;
  let to: string;
  let run: (...args: string[]) => ReturnType<typeof runHardhat>;
  let configure: (settings: object) => Promise<unknown>;

  before(async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    recorder = (await deploy(await provider.getSigner(0), "Recorder")) as Contract;
    to = await recorder.getAddress();
    const port = announce({ rpcUrl });
    run = (...args) => runHardhat(["identity", "send-calls", "--port", port, ...args]);
    configure = (settings) => provider.send("identity_configureWallet", [settings]);
  });

  const data = (name: string, ...args: unknown[]) => recorder.interface.encodeFunctionData(name, args);
  const count = () => recorder.getFunction("count")();
  const writeJson = async (content: unknown) => {
    const file = join(await temporaryFolder(), "batch.json");
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  };

  it("sends a file of calls as one atomic batch, and shows the result", async () => {
    const before = await count();
    const calls = ["0x1", "0x0"].map((value) => ({ to, value, data: data("record") }));
    const file = await writeJson({ atomicRequired: false, calls });
    const { code, stdout } = await run("--file", file, "--atomic", "true");
    expect(code).to.equal(0);
    expect(stdout).to.match(
      /^Batch {6}0x1[0-9a-f]{62}\nStatus {5}200 confirmed\nAtomic {5}yes\nConfirmed {2}0x[0-9a-f]{64} in block \d+, \d+ gas\n$/,
    );
    expect(await count()).to.equal(before + 2n);
  });

  it("prints the status as one line of JSON, and exits with 1 when the batch failed", async () => {
    const file = await writeJson({
      atomicRequired: false,
      from: to,
      id: "0xdef",
      calls: [
        { to, value: "0x0", data: data("record") },
        { to, value: "0x0", data: data("refuse", 7) },
      ],
    });
    const { code, stdout } = await run("--file", file, "--from", "1", "--id", "0xabc", "--json");
    expect(code).to.equal(1);
    const { receipts, failure, ...status } = JSON.parse(stdout);
    expect(status).to.deep.equal({
      batchId: "0xabc",
      id: "0xabc",
      version: "2.0.0",
      chainId: "0x14a34",
      status: 600,
      atomic: false,
      revertData: `0x590a5151${"7".padStart(64, "0")}`,
    });
    expect(receipts.map((receipt: { status: string }) => receipt.status)).to.deep.equal(["0x1", "0x0"]);
    expect(failure).to.include("Refused(7)");
    const inWords = (await run("--file", file, "--from", "1")).stdout;
    expect(inWords).to.match(
      /^Batch.*\nStatus {5}600 partially reverted\nAtomic {5}no\nConfirmed {2}0x.*\nReverted {3}0x\w{64} in block \d+, \d+ gas\nFailure {4}.*Refused\(7\).*\n$/,
    );
  });

  it("sends a single call given by options", async () => {
    const options = ["--to", to, "--value", "5", "--data", data("record"), "--gas-limit", "100000"];
    const { code, stdout } = await run(...options, "--from", "2", "--atomic", "false", "--json");
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ status: 200, atomic: false });
    expect(await recorder.getFunction("lastValue")()).to.equal(5n);
    expect(await recorder.getFunction("lastSender")()).to.equal("0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC");
    expect(await recorder.getFunction("lastGas")()).to.be.below(100_000n - 21_000n);
  });

  it("prints code and message of a wallet's refusal, and exits with 1", async () => {
    await configure({ rejectNext: true });
    const words = await run("--to", to);
    expect(words.code).to.equal(1);
    const reason = "User rejected the request. rejectNext() was called.";
    expect(words.stdout).to.equal(`Refused  4001\nReason   ${reason}\n`);

    for (const content of [null, 7, "calls"]) {
      const file = await writeJson(JSON.stringify(content));
      expect((await run("--file", file)).stderr).to.include(`${file} must contain an array of calls, or an`);
    }
    const file = await writeJson([{ to, value: "1" }]);
    const json = await run("--file", file, "--json");
    expect(json.code).to.equal(1);
    const { error } = JSON.parse(json.stdout);
    expect(error.code).to.equal(-32602);
    expect(error.message).to.include("calls[0].value");
  });

  it("exits with 1 if a batch is pending for too long, and warns against sending it again", async () => {
    await configure({ reset: true });
    const { rpcUrl, provider } = await serveLocalChain();
    await provider.send("evm_setAutomine", [false]);
    const options = ["--to", to, "--port", announce({ rpcUrl })];
    for (const seconds of [0, 1]) {
      const started = performance.now();
      const command = ["identity", "send-calls", ...options, "--timeout", String(seconds)];
      const { code, stdout } = await runHardhat(command);
      expect(performance.now() - started).to.be.above(seconds * 1000);
      expect(stdout)
        .to.match(/^Status +100 pending$/m)
        .and.include(
          `The batch is still pending after ${seconds} s. It may still be included; do not send it again.`,
        );
      expect(code).to.equal(1);
    }
    // A minute is enough for a block that comes late.
    const waits = runHardhat(["identity", "send-calls", ...options]);
    await setTimeout(1_500);
    await provider.send("evm_mine", []);
    expect((await waits).stdout).to.match(/^Status +200 confirmed$/m);
  });

  it("prints the id of a batch whose status the wallet does not tell, however that names it", async () => {
    for (const answer of [{ id: "0x1" }, { batchId: "0x1" }, "0x1"]) {
      let sent = 0;
      const node = {
        request: async ({ method }: { method: string }) => {
          if (method === "eth_chainId") return "0x1";
          if (method === "wallet_sendCalls" && sent++ === 0) return answer;
          throw Object.assign(new Error("Too many requests"), { code: -32005 });
        },
      };
      const error = await rejection(sendBatch(node, { from: to, calls: [] }, 1000));
      expect(error).to.be.instanceOf(InvalidInputError);
      expect(error.message).to.equal(
        "The wallet took batch 0x1, and its status cannot be read: Too many requests. It may still be included; do not send it again.",
      );
    }
  });

  const one = ["--to", `0x${"1".repeat(40)}`] as const;
  for (const [what, args, says] of [
    ["no recipient and no file", [], "--to is missing"],
    ["a recipient beside a file", ["--file", "x.json", ...one], "--file contains the calls"],
    [
      "a file not there",
      ["--file", "none.json"],
      "--file must name a JSON file; none.json cannot be read: ENOENT",
    ],
    ["a value in ether", [...one, "--value", "0.1"], "--value must be a whole number"],
    ["an --atomic that is neither", [...one, "--atomic", "yes"], "--atomic must be true or false"],
    ["an account that the node lacks", [...one, "--from", "99"], "--from must be an index below 20"],
  ] as const) {
    it(`refuses ${what} in words`, async () => {
      const { code, stderr, stdout } = await run(...args);
      expect(code).to.equal(1);
      expect(stderr + stdout)
        .to.include(says)
        .and.not.to.include("    at ");
    });
  }

  it("names nodes that have a wallet if this one has none", async () => {
    const plain = await createHardhatRuntimeEnvironment({
      networks: { chain: { type: "edr-simulated", chainType: "op", chainId: 84532 } },
    });
    const server = await plain.network.createServer("chain", "127.0.0.1", 0);
    const { address, port } = await server.listen();
    const options = ["--to", to, "--port", announce({ rpcUrl: `http://${address}:${port}` })];
    const { code, stdout, stderr } = await runHardhat(["identity", "send-calls", ...options]);
    await server.close();
    expect(code).to.equal(1);
    expect(stdout + stderr).to.include(
      "The node has no wallet. A node that runs with hardhat-identity has one: `hardhat node` or `hardhat identity dev`.",
    );
  });
});
