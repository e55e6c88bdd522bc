import { existsSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { network } from "hardhat";
import { IdentityError } from "../../../packages/client/index.ts";
import { openIdentity } from "../../../tasks/internal/testing/connectionIdentity.ts";
import { readCredentials } from "../../../tasks/internal/testing/credentials.ts";
import type { ServiceOptions } from "../../../tasks/internal/testing/service.ts";
import { connectWith, enrollWith } from "../../fixtures/packages/toolboxes.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { replace } from "../../fixtures/replace.ts";

describe("identity.startService", () => {
  for (const toolbox of ["ethers", "viem"] as const) {
    it(`admits a person once, from whatever wallet, in a test with ${toolbox}`, async () => {
      const at = await connectWith(toolbox);
      const { identity, provider } = at.connection;
      const [, phone = "", laptop = "", poor = ""] = (await provider.request({
        method: "eth_accounts",
      })) as string[];
      await using service = await identity.startService({
        registry: at.registry,
        credentials: {
          alice: { provider: "microblog", traits: { followers: 1200 }, wallets: [phone, laptop] },
          bob: { provider: "microblog", traits: { followers: 3 }, wallets: [poor] },
        },
      });
      const { args } = await service.request({ consumer: at.consumer, user: phone });
      await enrollWith[toolbox](at, 1, args);

      const again = await service.request({ consumer: at.consumer, user: laptop });
      expect((await rejection(enrollWith[toolbox](at, 2, again.args))).message).to.include(
        "AlreadyEnrolled()",
      );
      const refusal = await rejection(service.request({ consumer: at.consumer, user: poor }));
      expect(refusal).to.be.instanceOf(IdentityError).and.include({ code: "conditions_not_satisfied" });
    });
  }

  async function fixture() {
    const connection = await network.create("identityLocal");
    const { ethers, identity } = connection;
    const registry = await identity.deployRegistry();
    const program = await ethers.deployContract("IncentiveProgram", [registry]);
    const [, phone, laptop] = await ethers.getSigners();
    if (!phone || !laptop) throw new Error("The node has too few accounts.");
    const alice = { provider: "microblog", traits: { followers: 1200 }, wallets: [phone, laptop] };
    return { connection, ethers, identity, registry, program, phone, laptop, alice };
  }

  it("leaves nothing open when it does not start", async () => {
    const { identity, alice } = await fixture();
    const count = () => {
      const folders = readdirSync(tmpdir()).filter((name) => name.startsWith("hardhat-identity-test-"));
      const servers = process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap");
      return [folders.length, servers.length];
    };
    const before = count();
    replace(process.env, "IDENTITY_LOG_LEVEL", "loud");
    const problem = await rejection(identity.startService({ credentials: { alice } }));
    expect(problem.message).to.include("IDENTITY_LOG_LEVEL");
    expect(count()).to.deep.equal(before);
  });

  it("signs for a registry that the chain has", async () => {
    const { connection, identity, alice } = await fixture();
    const before = await connection.networkHelpers.takeSnapshot();
    await identity.deployRegistry();
    await before.restore();
    expect((await rejection(identity.startService({ credentials: { alice } }))).message).to.match(
      /^There is no contract at 0x\w{40} on this chain\. Deploy the service's registry in the same fixture, or name it in `registry`\.$/,
    );
  });

  it("gives a person the same identity hash as mint gives the same name", async () => {
    const { identity, program, phone, laptop, alice } = await fixture();
    const service = await identity.startService({ credentials: { alice } });
    const { identityHash } = await identity.mint({ consumer: program, user: phone, identity: "alice" });
    const requested = await service.request({ consumer: program, user: laptop });
    expect(requested).to.include({ identityHash });
    expect(requested.args).to.deep.equal([identityHash, requested.expiration, requested.signature]);
  });

  it("issues verifications whose misuse can be explained", async () => {
    const { identity, program, phone, laptop, alice } = await fixture();
    const service = await identity.startService({ credentials: { alice } });
    const { args } = await service.request({ consumer: program, user: phone });
    const error = await rejection(program.connect(laptop).enroll(...args));
    expect(await identity.explain(error)).to.include(
      `bound to the wallet ${phone.address}, but used with ${laptop.address}`,
    );
  });

  it("asks for another proof of an account that was proven too long ago", async () => {
    const { ethers, identity, registry, phone, laptop, alice } = await fixture();
    const conditions = [{ name: "followers", op: "gt", value: "1000" }];
    const consumer = await ethers.deployContract("ChosenConsumer", [registry, "microblog", conditions]);
    await consumer.getFunction("setCutoffBlock")(1);
    const service = await identity.startService({
      credentials: {
        alice: { ...alice, wallets: [phone], authenticatedAt: 1_600_000_000 },
        bob: { ...alice, wallets: [laptop] },
      },
    });
    await service.request({ consumer, user: laptop });
    expect(await rejection(service.request({ consumer, user: phone }))).to.include({
      code: "needs_reauth",
      message: "The microblog account was verified before block 1: verify it again.",
    });
    expect((await rejection(service.request({ consumer, user: registry }))).message).to.equal(
      `user must be an account of this connection, which signs the sign-in message; ${registry.address} is not one of its 20.`,
    );
  });

  it("stops when its connection closes, as does another of the same connection", async () => {
    const { connection, identity, alice } = await fixture();
    const services = [1, 2].map(() => identity.startService({ credentials: { alice } }));
    const urls = (await Promise.all(services)).map(({ url }) => url);
    for (const url of urls) expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    await connection.close();
    for (const url of urls) expect((await rejection(fetch(url))).message).to.equal("fetch failed");
  });

  it("leaves nothing behind when it is closed once or twice, and never keeps a process alive", async () => {
    const { identity, program, phone, alice } = await fixture();
    const list = () => readdirSync(tmpdir()).filter((name) => name.startsWith("hardhat-identity-test-"));
    // Servers keep a process from ending; idle connections do not.
    const countServers = () =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
    const [before, servers] = [list(), countServers()];
    const service = await identity.startService({ credentials: { alice } });
    const [added = "", ...others] = list().filter((name) => !before.includes(name));
    expect(others).to.deep.equal([]);
    expect(statSync(join(tmpdir(), added)).mode & 0o777).to.equal(0o700);
    await service.request({ consumer: program, user: phone });
    expect(countServers()).to.equal(servers);
    await Promise.all([service.close(), service.close()]);
    expect(existsSync(join(tmpdir(), added))).to.equal(false);
    expect((await rejection(fetch(service.url))).message).to.equal("fetch failed");
    await service.close();
  });

  it("takes a wallet that has an account at each of two providers, and no second one at a provider", () => {
    const wallets = [`0x${"12".repeat(20)}`];
    const alice = { provider: "microblog", traits: { followers: 1200 }, wallets };
    const shop = { provider: "short_video", traits: { follower_count: 7 }, wallets };
    const read = readCredentials({ alice, "alice's shop": shop });
    expect(read.map(({ provider, accountId }) => [provider, accountId])).to.deep.equal([
      ["microblog", "alice"],
      ["short_video", "alice's shop"],
    ]);
    expect(() => readCredentials({ alice, bob: alice })).to.throw("a wallet has one account per provider");
  });

  it("names a missing registry", async () => {
    const { identity } = await network.create("identityLocal");
    expect((await rejection(identity.startService({ credentials: {} }))).message).to.equal(
      "The service signs for one registry, and none was deployed here: call identity.deployRegistry() first, or give `registry`.",
    );
  });

  const known = "microblog, exchange, photo_social, short_video";
  for (const [what, change, message] of [
    ["no people", "ann", /^credentials must be people by name, such as \{ alice: .*, got "ann"\.$/],
    [
      "no wallets",
      { ann: { wallets: [] } },
      "ann.wallets must be an array of at least one wallet, got an array.",
    ],
    ["a wallet without an address", { ann: { wallets: ["0x12"] } }, /^ann\.wallets\[0\] must be an address/],
    ["no provider", { ann: { provider: undefined } }, `ann.provider must be one of ${known}, got nothing.`],
    ["another provider", { ann: { provider: "twitter" } }, `Unknown provider "twitter"; known are ${known}.`],
    ["no traits", { ann: { traits: undefined } }, /^ann\.traits must be an object of traits/],
    [
      "1.5 followers",
      { ann: { traits: { followers: 1.5 } } },
      /^Trait followers must be .* from 0, got 1\.5\.$/,
    ],
    [
      "another member",
      { ann: { wallet: "0x" } },
      /^ann does not know "wallet"; it takes provider, traits, wallets/,
    ],
    [
      "two people of one wallet",
      { ann: {}, ben: {} },
      /^ben and ann both have the wallet 0x.{40} at microblog; a wallet has one account per provider\.$/,
    ],
    ["no name", { "": {} }, 'A person\'s name must be a text of at least one character, got "".'],
    [
      "milliseconds",
      { ann: { authenticatedAt: 1_760_000_000_000 } },
      /^ann\.authenticatedAt must be whole unix seconds, got 1760000000000: are these milliseconds\?/,
    ],
  ] as const) {
    it(`says in a sentence what is wrong with ${what}`, async () => {
      // Nothing is asked of a node for that.
      const { identity } = openIdentity({ request: () => expect.fail() });
      const wallets = [`0x${"12".repeat(20)}`, `0x${"34".repeat(20)}`];
      const alice = { provider: "microblog", traits: { followers: 1200 }, wallets };
      const people = typeof change === "string" ? change : Object.entries(change);
      const credentials =
        typeof people === "string"
          ? people
          : Object.fromEntries(people.map(([name, part]) => [name, { ...alice, ...part }]));
      const error = await rejection(identity.startService({ credentials } as ServiceOptions));
      expect(error.name).to.equal("InvalidInputError");
      expect(error.message).to.match(
        typeof message === "string" ? new RegExp(`^${message.replaceAll(".", "\\.")}$`) : message,
      );
    });
  }
});
