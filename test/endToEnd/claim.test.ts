import { expect } from "chai";
import { Contract } from "ethers";
import { readArtifact } from "../../ignition/artifacts.ts";
import {
  buildSignInMessage,
  type IdentityError,
  isIdentityUsed,
  requestVerification,
  signMessage,
} from "../../packages/client/index.ts";
import { development } from "../../packages/protocol/development.ts";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { deploy, serveChainWithRegistry, serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { startTestSigner } from "../fixtures/signer/signer.ts";
import { skip } from "../fixtures/skip.ts";

const chainId = 84532;
const publicChain = process.env.BASE_SEPOLIA_RPC_URL;
const publicFork = "on a fork of the public chain 84532";

/** Where the flow below is gone through. Each has a registry whose allowlist holds the development signer. */
const chains = {
  "on a local chain 84532": () => serveChainWithRegistry(),
  "on a fork of a chain 84532 that has the registry already": async () => {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    // A fork leaves a connection open for which Hardhat's own server would wait 100 seconds when it is closed.
    const { url } = await serveProxy(rpcUrl);
    return { ...(await serveLocalChain({ forkOf: url })), registry };
  },
  [publicFork]: () => serveChainWithRegistry({ forkOf: publicChain ?? "" }),
};

for (const [where, startChain] of Object.entries(chains)) {
  describe(`Contract and service together, ${where}`, () => {
    before(function () {
      if (where === publicFork && !publicChain) {
        skip(this, "it needs the public chain", "BASE_SEPOLIA_RPC_URL=<an endpoint of the public chain>");
      }
    });

    async function fixture() {
      const { rpcUrl, provider, ...chain } = await startChain();
      const registry = await chain.registry.getAddress();
      const program = await deploy(await provider.getSigner(0), "IncentiveProgram", [registry]);
      const consumer = await program.getAddress();
      const service = await startTestSigner({ IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: registry });
      const { databaseUrl } = service.config;
      const store = await openCredentialStore({ databaseUrl, masterSecret: development.masterSecret });
      onCleanup(() => store.close());
      const node: Eip1193Connection = {
        request: ({ method, params = [] }) => provider.send(method, [...(params as unknown[])]),
      };

      /** Claims with one of the node's accounts, as an app does. */
      async function claim(accountIndex: number) {
        const wallet = await provider.getSigner(accountIndex);
        const { address } = wallet;
        const uri = "https://app.example/claim";
        const message = buildSignInMessage({ address, consumer, chainId, domain: "app.example", uri });
        const signature = await signMessage(node, { address, message });
        const verification = await requestVerification({ baseUrl: service.url, message, signature });
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

      return { node, consumer, claim, setCredential };
    }

    it("enrols one wallet of a person and refuses the second", async () => {
      const { node, consumer, claim, setCredential } = await fixture();
      await setCredential([1, 2], "1001", "1001");

      const first = await claim(1);
      await first.enroll();
      expect(
        await isIdentityUsed(node, { consumer, identityHash: first.identityHash, block: "latest" }),
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

function errorName(error: { data?: string }): string | undefined {
  const { abi } = readArtifact("examples/IncentiveProgram");
  return new Contract(`0x${"00".repeat(20)}`, abi).interface.parseError(error.data ?? "0x")?.signature;
}
