import { buildModule } from "@nomicfoundation/ignition-core";
import { expect } from "chai";
import { network } from "hardhat";
import { checkParameters } from "../../ignition/checkParameters.ts";
import { requestVerification, sendCall, signMessage } from "../../packages/client/index.ts";
import { findStack } from "../../tasks/internal/stack/running.ts";
import { setEnvironment } from "../fixtures/environment.ts";
import { rejection } from "../fixtures/rejection.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

async function fixture() {
  const { ethers, identity, provider } = await network.create("identityLocal");
  const registry = await identity.deployRegistry();
  const airdrop = await ethers.deployContract("Airdrop", [registry]);
  const [, phone, laptop] = await ethers.getSigners();
  if (!phone || !laptop) throw new Error("The node has too few accounts.");
  const alice = { consumer: airdrop, user: phone, identity: "alice" };
  const person = { provider: "microblog", traits: { followers: 1200 }, wallets: [phone] };
  const startService = () => identity.startService({ credentials: { alice: person } });
  return { ethers, identity, provider, registry, airdrop, phone, laptop, alice, startService };
}

type Fixture = Awaited<ReturnType<typeof fixture>>;

/** Mistake → the error to which it leads. `explained` are errors of a contract. */
const mistakes = {
  async "You use a verification with another wallet"({ identity, airdrop, laptop, alice }) {
    const { args } = await identity.mint(alice);
    return { explained: await rejection(airdrop.connect(laptop).claim(...args)) };
  },
  async "You deploy a consumer with an address that is no registry"({ ethers, airdrop }) {
    return { explained: await rejection(ethers.deployContract("Airdrop", [airdrop])) };
  },
  "You misspell an option": ({ identity, phone, alice }) =>
    // @ts-expect-error: there is no such option.
    identity.mint({ ...alice, wallet: phone }),
  "You pass an expiration in milliseconds": ({ identity, alice }) =>
    identity.mint({ ...alice, expiration: Date.now() }),
  "You ask for two flaws at once": ({ identity, alice }) =>
    identity.mint({ ...alice, expired: true, wrongSigner: true }),
  "The traits do not meet the conditions": ({ identity, alice }) =>
    identity.mint({ ...alice, traits: { followers: 1000 } }),
  async "The policy names an unknown provider"({ ethers, identity, registry, alice }) {
    const conditions = [{ name: "followers", op: "gt", value: "1000" }];
    const consumer = await ethers.deployContract("ChosenConsumer", [registry, "blogs", conditions]);
    return identity.mint({ ...alice, consumer });
  },
  async "You start the service before there is a registry"({ phone }) {
    const { identity } = await network.create("identityLocal");
    const alice = { provider: "microblog", traits: { followers: 1200 }, wallets: [phone] };
    return identity.startService({ credentials: { alice } });
  },
  async "Your module gives the consumer no registry"() {
    const module = buildModule("Airdrop", (m) => ({
      airdrop: m.contract("Airdrop", [m.getParameter<string>("registry")]),
    }));
    return checkParameters(
      module,
      {},
      {
        isLocal: async () => true,
        readDeployer: async () => undefined,
        findRegistryProblem: async () => undefined,
      },
    );
  },
  async "You run a task without `--network`, and no stack runs"() {
    setEnvironment({ TMPDIR: await temporaryFolder() });
    return findStack();
  },
  "The browser has no wallet": ({ phone }) =>
    // @ts-expect-error: what `window.ethereum` is then.
    signMessage(undefined, { address: phone.address, message: "" }),
  async "The app's wallet is on another chain"({ ethers, provider, phone }) {
    const wallet = {
      request: async (asked: { method: string }) =>
        asked.method === "eth_chainId" ? "0x1" : provider.request(asked),
    };
    return sendCall(wallet, { from: phone.address, to: ethers.ZeroAddress, chainId: 84532 });
  },
  async "The app's `baseUrl` ends in `/v1`"({ startService }) {
    const { url } = await startService();
    return requestVerification({ baseUrl: `${url}/v1`, message: "", signature: "0x" });
  },
} satisfies Readonly<Record<string, (at: Fixture) => Promise<unknown>>>;

/** Mistake → the message, which names the cure: the page about troubleshooting need not. */
const messages: Readonly<Record<keyof typeof mistakes, string>> = {
  "You use a verification with another wallet":
    "The verification is bound to the wallet 0x…, but used with 0x….",
  "You deploy a consumer with an address that is no registry":
    "InvalidRegistry(0x…): There is no SignerRegistry at 0x… on this chain.",
  "You misspell an option": 'identity.mint does not know "wallet"; it takes consumer, user, identity, …',
  "You pass an expiration in milliseconds":
    "expiration must be whole unix seconds, got …: are these milliseconds? Divide them by 1000.",
  "You ask for two flaws at once":
    "expired and wrongSigner cannot be combined: the registry reports only one error. Mint two verifications.",
  "The traits do not meet the conditions":
    "The microblog account does not meet the condition followers gt 1000: its value is 1000.",
  "The policy names an unknown provider": 'Unknown provider "blogs"; known are microblog, …',
  "You start the service before there is a registry":
    "none was deployed here: call identity.deployRegistry() first, or give `registry`.",
  "Your module gives the consumer no registry":
    "Airdrop.registry is missing: the address of the registry. Add it: --parameters …",
  "You run a task without `--network`, and no stack runs":
    "No `identity dev` is running. Start one with `npx hardhat identity dev`, or name a network with --network.",
  "The browser has no wallet": "No EIP-1193 connection was passed: is there a wallet in this browser?",
  "The app's wallet is on another chain": "The wallet is on chain 1; this needs chain 84532.",
  "The app's `baseUrl` ends in `/v1`":
    "The service has no such endpoint: baseUrl must be its URL without /v1.",
};

describe("Typical mistakes", () => {
  for (const [mistake, message] of Object.entries(messages)) {
    it(`are answered with the cure: ${mistake}`, async () => {
      const at = await fixture();
      const lead = mistakes[mistake as keyof typeof mistakes];
      const outcome = await (async () => lead(at))().catch((error: unknown) => ({ error }));
      const { error, explained } = Object(outcome);
      const said = explained === undefined ? String(error?.message) : await at.identity.explain(explained);
      const pattern = message.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".*");
      expect(said).to.match(new RegExp(pattern));
    });
  }
});
