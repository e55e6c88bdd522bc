import { expect } from "chai";
import { passTime, stopTime } from "../../fixtures/passTime.ts";
import { startOwnStack } from "../../fixtures/signer/stack.ts";

describe("A contract that many ask about", () => {
  it("is held to a cutoff that moved a second ago", async () => {
    const stack = await startOwnStack();
    const { timestamp } = (await stack.provider.getBlock("latest")) ?? { timestamp: 0 };
    const { consumer, request } = await stack.participate({ authenticatedAt: timestamp - 3_600 });
    const ask = async () => {
      const { status, body } = await request();
      return body.code ?? status;
    };
    stopTime();
    expect(await Promise.all([ask(), ask(), ask()])).to.deep.equal([200, 200, 200]);
    await (await consumer.getFunction("setCutoffBlock")(await stack.provider.getBlockNumber())).wait();
    passTime(1_000);
    expect(await ask()).to.equal("needs_reauth");
  });
});
