import { expect } from "chai";
import { development } from "../../../packages/protocol/development.ts";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { passTime, stopTime } from "../../fixtures/passTime.ts";
import { readAudit } from "../../fixtures/signer/audit.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

describe("A cutoff that moves while a request is under way", () => {
  /** A service whose node says when it has answered what it was asked about a consumer, and holds the answer. */
  async function fixture() {
    const stack = await startStack();
    const proxy = await serveProxy(stack.rpcUrl);
    const service = await stack.startReplica({ IDENTITY_RPC_URL: proxy.url });
    const hour = 3_600;
    const { timestamp } = (await stack.provider.getBlock("latest")) ?? { timestamp: 0 };
    const { consumer, address, wallet } = await stack.participate({ authenticatedAt: timestamp - hour });
    const request = await signedRequest(wallet, address);
    const moveCutoff = async () => {
      const block = await stack.provider.getBlockNumber();
      await (await consumer.getFunction("setCutoffBlock")(block)).wait();
    };
    /** Has each reading's answer held while something happens. */
    const during = (...happens: (() => Promise<void>)[]) => {
      const readings: string[] = [];
      proxy.behaviour = {
        async answer(method) {
          if (method !== "eth_call") return;
          readings.push(method);
          await happens[readings.length - 1]?.();
        },
      };
      return readings;
    };
    const readTrail = () => readAudit({ ...service.config, masterSecret: development.masterSecret });
    return {
      ask: () => requestVerification(service.url, request),
      moveCutoff,
      during,
      readTrail,
      log: service.log,
    };
  }

  it("counts two seconds later at most", async () => {
    const { ask, moveCutoff, during } = await fixture();
    expect((await ask()).status).to.equal(200);
    const readings = during(async () => {
      await moveCutoff();
      passTime(2_001);
    });
    expect((await ask()).body.code).to.equal("needs_reauth");
    expect(readings).to.have.length(2);
  });

  it("need not count until two seconds have passed", async () => {
    const { ask, during } = await fixture();
    stopTime();
    const readings = during(async () => passTime(2_000));
    expect((await ask()).status).to.equal(200);
    expect(readings).to.have.length(1);
  });

  it("gives chain_unavailable at a node that is always too slow, and enters nothing as signed", async () => {
    const { ask, during, readTrail, log } = await fixture();
    const wait = async () => passTime(2_001);
    const readings = during(wait, wait);
    const { status, body } = await ask();
    expect([status, body.code]).to.deep.equal([503, "chain_unavailable"]);
    expect(log.join("")).to.include(
      '"The chain is unavailable: The node is too slow or lags too far behind."',
    );
    expect(body).not.to.have.property("signature");
    expect((await readTrail()).map(({ event }) => event)).not.to.include("verification-signed");
    expect(readings).to.have.length(2);
  });
});
