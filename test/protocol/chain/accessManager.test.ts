import { expect } from "chai";
import { ZeroAddress } from "ethers";
import {
  askAccessManager,
  isAccessManager,
  type Question,
} from "../../../packages/protocol/chain/accessManager.ts";
import { deployAccessManager } from "../../fixtures/chain/guardedRegistry.ts";
import { serveLocalChain } from "../../fixtures/chain/localChain.ts";
import { rejection } from "../../fixtures/rejection.ts";

describe("An AccessManager", () => {
  async function fixture() {
    const { provider } = await serveLocalChain();
    const manager = await deployAccessManager(await provider.getSigner(0));
    const node = {
      request: async ({ method, params = [] }: { method: string; params?: unknown }) =>
        provider.send(method, params as unknown[]),
    };
    return { node, manager, address: String(manager.target) };
  }

  it("is asked any number of questions, whose answers come in their order", async () => {
    const { node, manager, address } = await fixture();
    const roles = Array.from({ length: 95 }, (_, i) => BigInt(i + 1));
    const data = roles.map((role) =>
      manager.interface.encodeFunctionData("setRoleAdmin", [role, 1_000n + role]),
    );
    await (await manager.getFunction("multicall")(data)).wait();
    const questions = roles.map((role): Question => ["getRoleAdmin", role]);
    const answers = await askAccessManager(node, address, questions);
    expect(answers.map(([admin]) => admin)).to.deep.equal(roles.map((role) => 1_000n + role));
  });

  it("is told from a contract that answers none of its functions", async () => {
    const { node, address } = await fixture();
    expect(await isAccessManager(node, address)).to.equal(true);
    expect(await isAccessManager(node, ZeroAddress)).to.equal(false);
    expect((await rejection(askAccessManager(node, ZeroAddress, [["expiration"]]))).message).to.equal(
      `The AccessManager ${ZeroAddress} does not answer expiration().`,
    );
  });
});
