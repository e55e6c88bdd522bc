import { expect } from "chai";
import { id } from "ethers";
import { deploy } from "../../fixtures/chain/localChain.ts";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

describe("Reading consumers", () => {
  let stack: Awaited<ReturnType<typeof startStack>>;

  before(async () => {
    stack = await startStack();
  });

  async function fixture() {
    const proxy = await serveProxy(stack.rpcUrl);
    const service = await stack.startReplica({ IDENTITY_RPC_URL: proxy.url, IDENTITY_TRUST_PROXY: "1" });
    const wallet = await stack.addWallet();
    /** The answer's code for one of several clients. */
    const code = async (consumer: string, client = 0) => {
      const request = await signedRequest(wallet, consumer);
      const { status, body } = await requestVerification(service.url, request, `192.0.2.${client}`);
      return status === 200 ? "verified" : body.code;
    };
    // Make the calls that the service needs only once per node.
    await code(await (await stack.deployConsumer()).getAddress());
    proxy.batches.length = 0;
    return { proxy, code };
  }

  it("takes one batch for a request", async () => {
    const { proxy, code } = await fixture();
    const consumers = await Promise.all([1, 2, 3].map(() => stack.deployConsumer()));
    const addresses = await Promise.all(consumers.map((consumer) => consumer.getAddress()));
    expect(await Promise.all(addresses.map(code))).to.deep.equal(["verified", "verified", "verified"]);
    const batch = ["eth_chainId", "eth_call", "eth_getBlockByNumber", "eth_getBlockByNumber"];
    expect(proxy.batches).to.deep.equal([batch, batch, batch]);
  });

  it("answers contract_not_found for EndlessGas, and other requests meanwhile", async () => {
    const { code } = await fixture();
    const hostile = await (await deploy(stack.deployer, "EndlessGas")).getAddress();
    const good = await (await stack.deployConsumer()).getAddress();
    // The hostile one takes its clients' shares of the node, and nobody else's.
    const codes = await Promise.all([hostile, good, hostile, good].map(code));
    const expected = "contract_not_found";
    expect(codes).to.deep.equal([expected, "verified", expected, "verified"]);
    expect(await code(good)).to.equal("verified");
  });

  it("gives no usable verification when a contract changes its policy", async () => {
    const { code } = await fixture();
    const fickle = await deploy(stack.deployer, "FickleConsumer");
    const address = await fickle.getAddress();
    const wallet = await stack.addWallet({ traits: { followers: "1500" } });
    const odd = async () => (await stack.provider.getBlockNumber()) % 2 === 1;
    if (await odd()) await stack.provider.send("evm_mine", []);
    const { body } = await requestVerification(stack.url, await signedRequest(wallet, address));
    const check = () =>
      stack.provider.call({
        from: address,
        to: stack.registry,
        data: stack.registryContract.interface.encodeFunctionData("verifyVerification", [
          wallet.address,
          body.identityHash,
          body.expiration,
          body.signature,
        ]),
      });
    expect(await check()).to.equal("0x");
    await stack.provider.send("evm_mine", []);
    const refused = await rejection(check());
    expect(refused)
      .to.have.property("data")
      .that.matches(new RegExp(`^${id("NotSigner(address)").slice(0, 10)}`));
    expect(await code(address)).to.equal("conditions_not_satisfied");
  });
});
