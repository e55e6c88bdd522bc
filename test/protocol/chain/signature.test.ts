import { expect } from "chai";
import {
  type BaseContract,
  concat,
  type HDNodeWallet,
  hashMessage,
  Interface,
  toBeHex,
  Wallet,
} from "ethers";
import type { SpendGas } from "../../../packages/protocol/chain/boundedCalls.ts";
import { connectChain } from "../../../packages/protocol/chain/connect.ts";
import { isSignedBy as isSignedByWith } from "../../../packages/protocol/chain/signature.ts";
import type { Eip1193Connection } from "../../../packages/protocol/eip1193.ts";
import { portableCurve } from "../../../signer/internal/curve/portableCurve.ts";
import { deploy, serveLocalChain } from "../../fixtures/chain/localChain.ts";
import { deploySafeContracts, planSafe, signForSafe, wrap } from "../../fixtures/chain/safe.ts";

const isSignedBy = (
  node: Eip1193Connection,
  input: { message: string; signature: string; wallet: string },
  spend?: SpendGas,
) => isSignedByWith(node, input, portableCurve, spend);

const message = "a message";
const hash = hashMessage(message);
const magic = "0x1626ba7e";

describe("isSignedBy", () => {
  let chain: Awaited<ReturnType<typeof startChain>>;

  async function startChain() {
    const { rpcUrl, provider } = await serveLocalChain();
    const deployer = await provider.getSigner(0);
    const node = connectChain({ url: rpcUrl, chainId: 84532 });
    const isSigned = (wallet: string, signature: string) =>
      isSignedBy(node.open(), { message, signature, wallet });
    return { rpcUrl, node, provider, deployer, isSigned, safe: await deploySafeContracts(deployer) };
  }

  before(async () => {
    chain = await startChain();
  });

  describe("with a wallet's own key", () => {
    it("accepts its own signature, and no other wallet's", async () => {
      const [alice, bob] = [Wallet.createRandom(), Wallet.createRandom()];
      const signature = await alice.signMessage(message);
      expect(await chain.isSigned(alice.address, signature)).to.equal(true);
      const hardware = `${signature.slice(0, -2)}${signature.endsWith("1b") ? "00" : "01"}`;
      expect(await chain.isSigned(alice.address, hardware)).to.equal(true);
      expect(await chain.isSigned(bob.address, signature)).to.equal(false);
      expect(await chain.isSigned(alice.address, await alice.signMessage(`${message}!`))).to.equal(false);
    });

    it("accepts its own signature of 64 bytes (EIP-2098), with either parity, and no other wallet's", async () => {
      const alice = Wallet.createRandom();
      const parities = new Set<number>();
      for (let i = 0; parities.size < 2; i++) {
        const text = `${message} ${i}`;
        const { compactSerialized, yParity } = alice.signingKey.sign(hashMessage(text));
        const ask = (signature: string, wallet = alice.address) =>
          isSignedBy(chain.node.open(), { message: text, signature, wallet });
        expect(await ask(compactSerialized)).to.equal(true);
        expect(await ask(`0x${compactSerialized.slice(2).toUpperCase()}`)).to.equal(true);
        expect(await ask(compactSerialized, Wallet.createRandom().address)).to.equal(false);
        parities.add(yParity);
      }
    });

    it("refuses a signature that is not whole bytes in hex, or wraps nothing, and asks no node", async () => {
      const { address: wallet } = Wallet.createRandom();
      const node = { request: () => expect.fail("It was asked.") };
      const suffix = "6492".repeat(16);
      for (const signature of [
        "",
        "12",
        "0x1",
        `0x${"1".repeat(131)}`,
        `0x1${suffix}`,
        `0x${suffix}`,
        "0xzz",
      ]) {
        expect(await isSignedBy(node, { message, signature, wallet }), signature).to.equal(false);
      }
    });

    it("refuses a signature that is not canonical", async () => {
      const alice = Wallet.createRandom();
      const { r, s } = alice.signingKey.sign(hash);
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
      const highS = toBeHex(order - BigInt(s), 32);
      const malleable = ["0x1b", "0x1c"].map((v) => concat([r, highS, v]));
      const zero = `0x${"00".repeat(65)}`;
      for (const signature of [...malleable, concat([r, highS]), zero]) {
        expect(await chain.isSigned(alice.address, signature), signature).to.equal(false);
      }
    });

    it("accepts its own signature although EIP-7702 code would burn all gas", async () => {
      const alice = Wallet.createRandom(chain.provider);
      const code = await deploy(chain.deployer, "EndlessGas");
      const authorization = await alice.authorize({ address: await code.getAddress(), nonce: 0 });
      const transaction = { to: alice.address, authorizationList: [authorization], gasLimit: 200_000 };
      // Calling the account runs its new code, which fails; the authorization stands all the same.
      await chain.deployer
        .sendTransaction(transaction)
        .then((sent) => sent.wait())
        .catch(() => undefined);
      expect(await chain.provider.getCode(alice.address)).to.match(/^0xef0100/);
      expect(await chain.isSigned(alice.address, await alice.signMessage(message))).to.equal(true);
      const other = await Wallet.createRandom().signMessage(message);
      expect(await chain.isSigned(alice.address, other)).to.equal(false);
    });
  });

  describe("with a Safe", () => {
    let nonce = 0;

    async function fixture() {
      const owners = [Wallet.createRandom(), Wallet.createRandom()];
      const addresses = owners.map((owner) => owner.address);
      const plan = await planSafe(chain.safe, addresses, nonce++);
      const signature = await signForSafe(plan.address, owners, hash);
      const [alone] = owners;
      const short = await signForSafe(plan.address, alone ? [alone] : [], hash);
      return { owners, plan, signature, short };
    }

    it("accepts its owners' signature after deployment (ERC-1271)", async () => {
      const { plan, signature, short } = await fixture();
      await plan.deploy();
      expect(await chain.isSigned(plan.address, signature)).to.equal(true);
      expect(await chain.isSigned(plan.address, short)).to.equal(false);
      expect(await chain.isSigned(plan.address, "0x")).to.equal(false);
      const other = await fixture();
      expect(await chain.isSigned(plan.address, other.signature)).to.equal(false);
    });

    it("accepts its owners' signature before deployment (ERC-6492), and does not deploy it", async () => {
      const { plan, signature, short } = await fixture();
      const wrapped = wrap(plan.factory, plan.factoryData, signature);
      expect(await chain.isSigned(plan.address, wrapped)).to.equal(true);
      expect(await chain.provider.getCode(plan.address)).to.equal("0x");
      expect(await chain.isSigned(plan.address, signature)).to.equal(false);
      expect(await chain.isSigned(plan.address, wrap(plan.factory, plan.factoryData, short))).to.equal(false);
      const other = await fixture();
      expect(await chain.isSigned(other.plan.address, wrapped)).to.equal(false);
    });

    it("accepts an ERC-6492 signature also after deployment", async () => {
      const { plan, signature, short } = await fixture();
      await plan.deploy();
      expect(await chain.isSigned(plan.address, wrap(plan.factory, plan.factoryData, signature))).to.equal(
        true,
      );
      expect(await chain.isSigned(plan.address, wrap(plan.factory, "0x", signature))).to.equal(true);
      expect(await chain.isSigned(plan.address, wrap(plan.factory, plan.factoryData, short))).to.equal(false);
    });
  });

  describe("with a wallet whose owner a factory can change", () => {
    const salt = toBeHex(9, 32);

    /** A wallet that is bound to alice's token, and a signature of mallory's. */
    async function fixture(isDeployed: boolean) {
      const [alice, mallory] = [Wallet.createRandom(), Wallet.createRandom()];
      const freeToken = (await deploy(chain.deployer, "FreeToken")) as BaseContract;
      const token = await freeToken.getAddress();
      const factory = (await deploy(chain.deployer, "TokenTakingFactory")) as BaseContract;
      await (await freeToken.getFunction("take")(alice.address)).wait();
      const deployWallet = factory.getFunction("deploy");
      const wallet: string = await deployWallet.staticCall(token, salt);
      const deployIt = async () => (await deployWallet(token, salt)).wait();
      if (isDeployed) await deployIt();
      const address = await factory.getAddress();
      const wrapped = async (by: HDNodeWallet, name: string, ...args: unknown[]) => {
        const data = factory.interface.encodeFunctionData(name, [token, ...args]);
        return wrap(address, data, await by.signMessage(message));
      };
      const sign = async (...how: Parameters<typeof wrapped>) =>
        chain.isSigned(wallet, await wrapped(...how));
      return { wallet, alice, mallory, wrapped, sign, deployWallet: deployIt };
    }

    it("lets no factory decide for a deployed wallet", async () => {
      const { alice, mallory, sign } = await fixture(true);
      expect(await sign(alice, "takeToken", mallory.address)).to.equal(true);
      expect(await sign(mallory, "takeToken", mallory.address)).to.equal(false);
      expect(await sign(mallory, "takeTokenAndDeploy", mallory.address, toBeHex(1, 32))).to.equal(false);
    });

    it("calls no factory for a deployed wallet", async () => {
      const asked: number[] = [];
      const spend: SpendGas = (gas, ask) => {
        asked.push(gas);
        return ask();
      };
      const wallet = await (await deploy(chain.deployer, "ToyWallet")).getAddress();
      const hostile = await (await deploy(chain.deployer, "EndlessGas")).getAddress();
      const input = { message, wallet, signature: wrap(hostile, "0x", "0x1234") };
      expect(await isSignedBy(chain.node.open(), input, spend)).to.equal(true);
      expect(asked).to.deep.equal([1_000_000]);
      const signature = wrap(hostile, "0x", "0x1234");
      expect(await isSignedBy(chain.node.open(), { message, wallet: hostile, signature }, spend)).to.equal(
        false,
      );
      const nowhere = Wallet.createRandom().address;
      expect(await isSignedBy(chain.node.open(), { message, wallet: nowhere, signature }, spend)).to.equal(
        false,
      );
      expect(asked).to.deep.equal([1_000_000, 1_000_000, 1_000_000, 2_500_000]);
    });

    it("keeps the wallet's answer if it is deployed meanwhile", async () => {
      const { wallet, mallory, wrapped, deployWallet } = await fixture(false);
      const signature = await wrapped(mallory, "takeTokenAndDeploy", mallory.address, toBeHex(1, 32));
      const methods: string[] = [];
      const node: Eip1193Connection = {
        async request(asked) {
          methods.push(asked.method);
          const answer = await chain.node.open().request(asked);
          if (methods.length === 1) await deployWallet();
          return answer;
        },
      };
      expect(await isSignedBy(node, { message, wallet, signature })).to.equal(false);
      expect(methods).to.deep.equal(["eth_call", "eth_call"]);
    });

    // ERC-6492 has a factory do what it likes; SECURITY.md says what that means.
    it("accepts a factory that does more than deploy, if there is no wallet yet", async () => {
      const { alice, mallory, sign } = await fixture(false);
      expect(await sign(alice, "deploy", salt)).to.equal(true);
      expect(await sign(mallory, "deploy", salt)).to.equal(false);
      expect(await sign(mallory, "takeToken", mallory.address)).to.equal(false);
      expect(await sign(mallory, "takeTokenAndDeploy", mallory.address, toBeHex(1, 32))).to.equal(false);
      expect(await sign(mallory, "takeTokenAndDeploy", mallory.address, salt)).to.equal(true);
    });
  });

  describe("with a hostile wallet or factory", () => {
    const salt = toBeHex(7, 32);
    const toy = new Interface([
      "function deploy(bytes32)",
      "function deployAndRevert(bytes32)",
      "function callBack(bytes)",
      "function execute((address,bool,bool,uint256,uint256,bytes)[])",
    ]);

    async function fixture() {
      const factory = (await deploy(chain.deployer, "ToyFactory")) as BaseContract;
      const address = await factory.getAddress();
      const wallet: string = await factory.getFunction("predict")(salt);
      const signed = (name: string, args: unknown[], at = address) =>
        chain.isSigned(wallet, wrap(at, toy.encodeFunctionData(name, args), "0x1234"));
      return { address, wallet, signed };
    }

    it("accepts the answer of the wallet that the factory deploys", async () => {
      const { signed } = await fixture();
      expect(await signed("deploy", [salt])).to.equal(true);
    });

    it("refuses if the factory reverts, deploys elsewhere or has no code", async () => {
      const { signed, wallet } = await fixture();
      expect(await signed("deployAndRevert", [salt])).to.equal(false);
      expect(await signed("deploy", [toBeHex(8, 32)])).to.equal(false);
      for (const factory of [wallet, `0x${"00".repeat(20)}`, `0x${"00".repeat(19)}04`]) {
        expect(await signed("deploy", [salt], factory), factory).to.equal(false);
      }
    });

    it("ignores the factory's own answer", async () => {
      const { signed } = await fixture();
      const factory = await deploy(chain.deployer, "AlmostWallet", [magic.padEnd(66, "0")]);
      expect(await signed("deploy", [salt], await factory.getAddress())).to.equal(false);
    });

    it("is not confused by a factory that calls back", async () => {
      const { address, signed, wallet } = await fixture();
      const nested = (target: string, data: string) =>
        toy.encodeFunctionData("execute", [[[target, true, false, 500_000, 32, data]]]);
      const deployIt = toy.encodeFunctionData("deploy", [salt]);
      expect(await signed("callBack", [nested(address, deployIt)])).to.equal(true);
      expect(await signed("callBack", [nested(wallet, "0x")])).to.equal(false);
    });

    it("is not confused by a factory that destroys itself", async () => {
      const { signed } = await fixture();
      // Returns the two bytes of CALLER SELFDESTRUCT as the code.
      const sent = await chain.deployer.sendTransaction({ data: "0x6133ff6000526002601ef3" });
      const factory = (await sent.wait())?.contractAddress ?? "";
      expect(await chain.provider.getCode(factory)).to.equal("0x33ff");
      expect(await signed("deploy", [salt], factory)).to.equal(false);
      expect(await chain.provider.getCode(factory)).to.equal("0x33ff");
    });

    for (const name of ["EndlessGas", "EndlessData", "RevertBomb"]) {
      it(`refuses ${name}, as a factory and as a wallet`, async () => {
        const hostile = await (await deploy(chain.deployer, name)).getAddress();
        const { signed } = await fixture();
        expect(await signed("deploy", [salt], hostile)).to.equal(false);
        expect(await chain.isSigned(hostile, "0x1234")).to.equal(false);
        expect(await chain.isSigned(hostile, wrap(hostile, "0x", "0x"))).to.equal(false);
      });
    }

    it("refuses a wallet that reverts with the magic value", async () => {
      const wallet = await deploy(chain.deployer, "ScriptedConsumer");
      const script = (reverts: boolean) =>
        wallet
          .getFunction("script")(magic, reverts, magic.padEnd(66, "0"))
          .then((sent) => sent.wait());
      await script(false);
      expect(await chain.isSigned(await wallet.getAddress(), "0x1234")).to.equal(true);
      await script(true);
      expect(await chain.isSigned(await wallet.getAddress(), "0x1234")).to.equal(false);
    });

    it("wants the padded magic value from a static call", async () => {
      const answers = async (answer: string) => {
        const wallet = await deploy(chain.deployer, "AlmostWallet", [answer]);
        return chain.isSigned(await wallet.getAddress(), "0x1234");
      };
      expect(await answers(magic.padEnd(66, "0"))).to.equal(true);
      expect(await answers(magic)).to.equal(false);
      expect(await answers(magic.padEnd(64, "0"))).to.equal(false);
      expect(await answers(magic.padEnd(66, "1"))).to.equal(false);
      expect(await answers(`0x${magic.slice(2).padStart(64, "0")}`)).to.equal(false);
      expect(await answers(`0x${"00".repeat(31)}01`)).to.equal(false);
      const writing = await deploy(chain.deployer, "WritingWallet");
      expect(await chain.isSigned(await writing.getAddress(), "0x1234")).to.equal(false);
    });

    it("refuses a wrapper that cannot be decoded", async () => {
      const { wallet } = await fixture();
      const suffix = `0x${"6492".repeat(16)}`;
      for (const wrapped of ["0x", "0x12", `0x${"ff".repeat(96)}`, `0x${"00".repeat(96)}`]) {
        expect(await chain.isSigned(wallet, concat([wrapped, suffix])), wrapped).to.equal(false);
      }
    });
  });
});
