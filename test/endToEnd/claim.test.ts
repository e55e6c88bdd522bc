import { expect } from "chai";
import { Contract, ContractFactory, JsonRpcProvider, type JsonRpcSigner } from "ethers";
import { network } from "hardhat";
import {
  buildSignInMessage,
  type IdentityError,
  isIdentityUsed,
  requestVerification,
  signMessage,
} from "../../client/index.ts";
import { readArtifact } from "../../ignition/artifacts.ts";
import { development } from "../../protocol/development.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { startTestSigner } from "../fixtures/signer.ts";

const chainId = 84532;
const publicChain = process.env.BASE_SEPOLIA_RPC_URL;

/** Where the flow below is gone through. Each has a registry whose allowlist holds the development signer. */
const chains = {
  "on a local chain 84532": async () => {
    const chain = await serveChain();
    return { ...chain, registry: await deployRegistry(chain.provider) };
  },
  "on a fork of a chain 84532 that has the registry already": async () => {
    const upstream = await serveChain();
    const registry = await deployRegistry(upstream.provider);
    return { ...(await serveChain(upstream.rpcUrl)), registry };
  },
  ...(publicChain && {
    "on a fork of the public chain 84532": async () => {
      const chain = await serveChain(publicChain);
      return { ...chain, registry: await deployRegistry(chain.provider) };
    },
  }),
};

for (const [where, startChain] of Object.entries(chains)) {
  describe(`Contract and service together, ${where}`, () => {
    async function fixture() {
      const { rpcUrl, provider, registry } = await startChain();
      const consumer = await deploy(await provider.getSigner(0), "examples/IncentiveProgram", registry);
      const signer = await startTestSigner({ IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: registry });
      const { databaseUrl } = signer.config;
      const store = await openCredentialStore({ databaseUrl, masterSecret: development.masterSecret });
      closers.push(() => store.close());
      const eip1193: Eip1193Connection = {
        request: ({ method, params = [] }) => provider.send(method, [...(params as unknown[])]),
      };

      /** What a person's app does with one of the node's accounts. */
      async function claim(accountIndex: number) {
        const wallet = await provider.getSigner(accountIndex);
        const { address } = wallet;
        const uri = "https://app.example/claim";
        const message = buildSignInMessage({ address, consumer, chainId, domain: "app.example", uri });
        const signature = await signMessage(eip1193, { address, message });
        const verification = await requestVerification({ baseUrl: signer.url, message, signature });
        const program = new Contract(consumer, readArtifact("examples/IncentiveProgram").abi, wallet);
        const { identityHash, expiration } = verification;
        const enroll = program.getFunction("enroll");
        return {
          identityHash,
          enroll: async () => (await enroll(identityHash, expiration, verification.signature)).wait(),
        };
      }

      /** The operator's word that the wallets' owner has so many followers. */
      async function setCredential(accountIndexes: readonly number[], accountId: string, followers: string) {
        for (const index of accountIndexes) {
          const { address: wallet } = await provider.getSigner(index);
          const authenticatedAt = (await provider.getBlock("latest"))?.timestamp ?? 0;
          await store.set({
            wallet,
            provider: "microblog",
            accountId,
            traits: { followers },
            authenticatedAt,
          });
        }
      }

      return { eip1193, consumer, claim, setCredential };
    }

    it("enrols one wallet of a person and refuses the second", async () => {
      const { eip1193, consumer, claim, setCredential } = await fixture();
      await setCredential([1, 2], "1001", "1001");

      const first = await claim(1);
      await first.enroll();
      expect(
        await isIdentityUsed(eip1193, { consumer, identityHash: first.identityHash, block: "latest" }),
      ).to.equal(true);

      const second = await claim(2);
      expect(second.identityHash).to.equal(first.identityHash);
      expect(await second.enroll().catch(errorName)).to.equal("AlreadyEnrolled()");
    });

    it("signs nothing for a person below the bar, or for a wallet without a credential", async () => {
      const { claim, setCredential } = await fixture();
      await setCredential([1], "1001", "1000");
      expect(await claim(1).catch(({ code }: IdentityError) => code)).to.equal("conditions_not_satisfied");
      expect(await claim(2).catch(({ code }: IdentityError) => code)).to.equal("verification_not_found");
    });
  });
}

/** Serves a local chain 84532, or a fork of one, over HTTP. */
async function serveChain(forkOf?: string): Promise<{ rpcUrl: string; provider: JsonRpcProvider }> {
  const override = forkOf === undefined ? {} : { forking: { url: forkOf } };
  const server = await network.createServer({ network: "identityLocal", override }, "127.0.0.1", 0);
  const { port } = await server.listen();
  const rpcUrl = `http://127.0.0.1:${port}`;
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
  closers.push(async () => {
    provider.destroy();
    await server.close();
  });
  return { rpcUrl, provider };
}

const closers: (() => Promise<void>)[] = [];

after(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function deployRegistry(provider: JsonRpcProvider): Promise<string> {
  const owner = await provider.getSigner(0);
  return await deploy(owner, "SignerRegistry", owner.address, [development.signer]);
}

async function deploy(from: JsonRpcSigner, name: string, ...args: unknown[]): Promise<string> {
  const { abi, bytecode } = readArtifact(name);
  const contract = await new ContractFactory(abi, bytecode, from).deploy(...args);
  return await (await contract.waitForDeployment()).getAddress();
}

function errorName(error: { data?: string }): string | undefined {
  const { abi } = readArtifact("examples/IncentiveProgram");
  return new Contract(`0x${"00".repeat(20)}`, abi).interface.parseError(error.data ?? "0x")?.signature;
}
