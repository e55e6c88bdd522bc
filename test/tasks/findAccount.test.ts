import { expect } from "chai";
import { network } from "hardhat";
import { findAccount } from "../../tasks/internal/wallet/findAccount.ts";
import { rejection } from "../fixtures/rejection.ts";

describe("An account that an option names", () => {
  const second = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  const stranger = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

  async function fixture() {
    const { provider } = await network.create("identityLocal");
    const accounts = (await provider.request({ method: "eth_accounts" })) as string[];
    return { accounts, find: (text: string) => findAccount(provider, "--from", text) };
  }

  it("is one of the node's by index, or any by its checksummed address", async () => {
    const { find } = await fixture();
    for (const text of ["1", "01", second, second.toLowerCase()]) expect(await find(text)).to.equal(second);
    expect(await find(stranger.toLowerCase())).to.equal(stranger);
  });

  it("is refused if the node has none, with its error if it does not answer eth_accounts", async () => {
    const error = { code: -32_601, message: "the method is not available" };
    for (const [request, why] of [
      [async () => [], ""],
      [() => Promise.reject(error), ' (it answers eth_accounts with "the method is not available")'],
    ] as const) {
      expect((await rejection(findAccount({ request }, "--from", "0"))).message).to.equal(
        `--from 0 is an account of the node, and it has none${why}. Configure the account's key: accounts in the network's configuration.`,
      );
    }
    const down = { request: () => Promise.reject(new Error("fetch failed")) };
    expect((await rejection(findAccount(down, "--from", "0"))).message).to.equal("fetch failed");
  });

  it("is refused if the index is too large, and if it is neither index nor address", async () => {
    const { accounts, find } = await fixture();
    expect((await rejection(find(String(accounts.length)))).message).to.equal(
      `--from must be an index below ${accounts.length} or the address of an account of the node, got ${accounts.length}.`,
    );
    for (const text of ["-1", "1.0", "0x1", "", stranger.replace("F", "f")]) {
      expect((await rejection(find(text))).message, text).to.include("--from");
    }
  });
});
