import { expect } from "chai";
import { type Contract, ContractFactory, JsonRpcProvider } from "ethers";
import { artifacts } from "hardhat";
import { createWalletClient, encodeFunctionData, type Hex, http } from "viem";
import { baseSepolia } from "viem/chains";
import { development } from "../../protocol/development.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { mintVerification } from "../../tasks/internal/consumer/mint.ts";
import { startHardhatNode } from "../fixtures/chain/hardhatNode.ts";

describe("A batched claim over the endpoint of `hardhat node`", () => {
  let node: Awaited<ReturnType<typeof startHardhatNode>>;
  before(async () => {
    node = await startHardhatNode("test/fixtures/wallet/walletNode.config.ts");
  });

  const amount = 10n ** 18n;

  /** A vault that a person may open a position in, and the person's account with tokens. */
  async function fixture(account: number) {
    const provider = new JsonRpcProvider(node.url, 84532, { staticNetwork: true, cacheTimeout: -1 });
    const deployer = await provider.getSigner(0);
    const deploy = async (name: string, args: readonly unknown[] = []) => {
      const { abi, bytecode } = await artifacts.readArtifact(name);
      const contract = await new ContractFactory(abi, bytecode, deployer).deploy(...args);
      return (await contract.waitForDeployment()) as Contract;
    };
    const registry = await deploy("SignerRegistry", [deployer.address, [development.signer]]);
    const token = await deploy("ExampleToken");
    const vault = await deploy("VerifiedVault", [registry.target, token.target]);
    const user = (await provider.getSigner(account)).address as Hex;
    await (await token.getFunction("mint")(user, amount)).wait();

    const asEip1193: Eip1193Connection = {
      request: ({ method, params = [] }) => provider.send(method, params as unknown[]),
    };
    const consumer = vault.target as Hex;
    const { identityHash, expiration, signature } = await mintVerification(asEip1193, {
      consumer,
      user,
      identity: `person ${account}`,
    });
    const deposit = (deposited: bigint) => [deposited, identityHash, expiration, signature] as const;
    return {
      provider,
      user,
      token: { address: token.target as Hex, abi: token.interface },
      vault: { address: consumer, abi: vault.interface },
      deposit,
      async balances() {
        return {
          vault: await vault.getFunction("balanceOf")(user),
          hasPosition: await vault.getFunction("hasPosition")(user),
          tokens: await token.getFunction("balanceOf")(user),
          allowance: await token.getFunction("allowance")(user, consumer),
          identityUsed: await vault.getFunction("identityUsed")(identityHash),
        };
      },
    };
  }
  const untouched = { vault: 0n, hasPosition: false, tokens: amount, allowance: 0n, identityUsed: false };
  const deposited = { vault: amount, hasPosition: true, tokens: 0n, allowance: 0n, identityUsed: true };

  describe("with viem", () => {
    async function viemFixture(account: number) {
      const found = await fixture(account);
      const client = createWalletClient({
        account: found.user,
        chain: baseSepolia,
        transport: http(node.url),
        pollingInterval: 50,
      });
      const calls = async (allowance: bigint, amount: bigint) => {
        const { abi: tokenAbi } = await artifacts.readArtifact("ExampleToken");
        const { abi: vaultAbi } = await artifacts.readArtifact("VerifiedVault");
        const [depositedAmount, identityHash, expiration, signature] = found.deposit(amount);
        const approve = {
          abi: tokenAbi,
          functionName: "approve",
          args: [found.vault.address, allowance],
        } as const;
        const deposit = {
          abi: vaultAbi,
          functionName: "deposit",
          args: [depositedAmount, identityHash as Hex, expiration, signature as Hex],
        } as const;
        return [
          { to: found.token.address, data: encodeFunctionData(approve) },
          { to: found.vault.address, data: encodeFunctionData(deposit) },
        ];
      };
      return { ...found, client, calls };
    }

    it("approves and deposits in one transaction", async () => {
      const { client, calls, balances, user } = await viemFixture(1);
      expect(await client.getCapabilities({ account: user, chainId: 84532 })).to.deep.equal({
        atomic: { status: "ready" },
      });
      const { id } = await client.sendCalls({ calls: await calls(amount, amount), forceAtomic: true });
      const { status, statusCode, atomic, receipts } = await client.waitForCallsStatus({ id });
      expect({ status, statusCode, atomic }).to.deep.equal({
        status: "success",
        statusCode: 200,
        atomic: true,
      });
      expect(receipts?.map((receipt) => receipt.status)).to.deep.equal(["success"]);
      expect(await balances()).to.deep.equal(deposited);
      expect(await client.getCapabilities({ account: user, chainId: 84532 })).to.deep.equal({
        atomic: { status: "supported" },
      });
    });

    it("leaves nothing behind when the deposit fails: no allowance, no used identity", async () => {
      const { client, calls, balances } = await viemFixture(2);
      const { id } = await client.sendCalls({ calls: await calls(amount, 2n * amount), forceAtomic: true });
      const { status, statusCode, receipts } = await client.waitForCallsStatus({ id });
      expect({ status, statusCode }).to.deep.equal({ status: "failure", statusCode: 500 });
      expect(receipts?.map((receipt) => receipt.status)).to.deep.equal(["reverted"]);
      expect(await balances()).to.deep.equal(untouched);
    });
  });

  describe("with ethers", () => {
    async function ethersFixture(account: number) {
      const found = await fixture(account);
      const { provider, user, token, vault, deposit } = found;
      const send = async (allowance: bigint, amount: bigint) => {
        const calls = [
          {
            to: token.address,
            value: "0x0",
            data: token.abi.encodeFunctionData("approve", [vault.address, allowance]),
          },
          { to: vault.address, value: "0x0", data: vault.abi.encodeFunctionData("deposit", deposit(amount)) },
        ];
        const batch = { version: "2.0.0", from: user, chainId: "0x14a34", atomicRequired: true, calls };
        const { batchId } = await provider.send("wallet_sendCalls", [batch]);
        return provider.send("wallet_getCallsStatus", [batchId]);
      };
      return { ...found, send };
    }

    it("approves and deposits in one transaction", async () => {
      const { provider, user, send, balances } = await ethersFixture(3);
      const { status, atomic, receipts } = await send(amount, amount);
      expect({ status, atomic }).to.deep.equal({ status: 200, atomic: true });
      const [{ transactionHash }] = receipts;
      expect(await provider.getTransactionReceipt(transactionHash)).to.include({
        from: user,
        to: user,
        status: 1,
      });
      expect(await balances()).to.deep.equal(deposited);
    });

    it("leaves nothing behind when the deposit fails, and shows why where the node runs", async () => {
      const { provider, send, balances } = await ethersFixture(4);
      const { id, status, failure } = await send(amount, 2n * amount);
      expect(status).to.equal(500);
      expect(failure).to.include("ERC20InsufficientAllowance");
      expect(await balances()).to.deep.equal(untouched);
      await provider.send("wallet_showCallsStatus", [id]);
      await node.waitFor(new RegExp(`^Batch +${id}\\nStatus +500 reverted\\n`, "m"));
    });
  });
});
