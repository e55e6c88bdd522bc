import { expect } from "chai";
import { networkOf, readChainId, switchNetwork } from "../../../packages/verify-page/shared/networks.ts";
import { rejection } from "../../fixtures/rejection.ts";

/** A wallet that answers as a test says, and tells what it was asked. */
function walletThat(answer: (method: string, asked: readonly string[]) => unknown) {
  const asked: { method: string; params: unknown }[] = [];
  return {
    asked,
    async request({ method, params }: { method: string; params?: unknown }) {
      const before = asked.map((each) => each.method);
      asked.push({ method, params });
      return answer(method, before);
    },
  };
}

const refuse = (code: number, more: object = {}) => {
  throw Object.assign(new Error("No."), { code, ...more });
};

describe("The network that a page wants", () => {
  it("is the local node's, or a public one with its makers' endpoints, or a number that the wallet may know", () => {
    expect(networkOf(84532, "http://127.0.0.1:8545")).to.deep.equal({
      chainId: 84532,
      name: "localhost-84532",
      rpcUrl: "http://127.0.0.1:8545",
    });
    expect(networkOf(8453)).to.include({ name: "Base", rpcUrl: "https://mainnet.base.org" });
    expect(networkOf(84532)).to.include({
      name: "Base Sepolia",
      explorerUrl: "https://sepolia.basescan.org",
    });
    expect(networkOf(7)).to.deep.equal({ chainId: 7, name: "#7" });
  });

  it("is found out from the wallet, where that says it", async () => {
    const read = (answer: () => unknown) => readChainId(walletThat(answer));
    for (const answer of ["0x14a34", "0x014A34", "84532", 84532])
      expect(await read(() => answer)).to.equal(84532);
    for (const answer of [() => "base", () => "", () => [], () => undefined, () => refuse(4200)]) {
      expect(await read(answer)).to.equal(undefined);
    }
  });

  it("is changed to by one request where the wallet knows it", async () => {
    const wallet = walletThat(() => null);
    await switchNetwork(wallet, networkOf(84532));
    expect(wallet.asked).to.deep.equal([
      { method: "wallet_switchEthereumChain", params: [{ chainId: "0x14a34" }] },
    ]);
  });

  for (const [what, more] of [
    ["", {}],
    [", however deep the wallet hides that", { code: -32603, data: { originalError: { code: 4902 } } }],
    [", and says so in the person's language alone", { code: undefined, message: "Red no compatible" }],
    [", and says so without a sign before its code", { code: 32603, message: "Invalid chain" }],
    [", and says that it lacks the method", { code: -32601 }],
  ] as const) {
    it(`is added where the wallet does not know it, and changed to then${what}`, async () => {
      const wallet = walletThat((method, before) =>
        method === "wallet_switchEthereumChain" && !before.includes("wallet_addEthereumChain")
          ? refuse(4902, more)
          : null,
      );
      await switchNetwork(wallet, networkOf(8453));
      expect(wallet.asked.map(({ method }) => method)).to.deep.equal([
        "wallet_switchEthereumChain",
        "wallet_addEthereumChain",
        "wallet_switchEthereumChain",
      ]);
      expect(wallet.asked[1]?.params).to.deep.equal([
        {
          chainId: "0x2105",
          chainName: "Base",
          rpcUrls: ["https://mainnet.base.org"],
          nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
          blockExplorerUrls: ["https://basescan.org"],
        },
      ]);
    });
  }

  it("is not added where the person refused or is asked already, or nothing is known of it", async () => {
    const refused = walletThat(() => refuse(4001));
    expect(await rejection(switchNetwork(refused, networkOf(8453)))).to.include({ code: 4001 });
    const busy = walletThat(() => refuse(-32002));
    expect(await rejection(switchNetwork(busy, networkOf(8453)))).to.include({ code: -32002 });
    const unknown = walletThat(() => refuse(4902));
    expect(await rejection(switchNetwork(unknown, networkOf(7)))).to.include({ code: 4902 });
    for (const { asked } of [refused, busy, unknown]) expect(asked).to.have.length(1);
  });
});
