import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJson, hexlify, randomBytes, toBeHex, Wallet } from "ethers";
import { development } from "../../../packages/protocol/development.ts";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { type KeySource, KeyUnavailableError } from "../../../signer/internal/keys/keySource.ts";
import { privateKeySource } from "../../../signer/internal/keys/openKeySource.ts";
import { followKey } from "../../../signer/internal/keys/signingKeys.ts";
import { serveChainWithRegistry } from "../../fixtures/chain/localChain.ts";
import { hideLocalNode, serveProxy } from "../../fixtures/chain/proxy.ts";
import { passTime, stopTime } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { openTestCurve } from "../../fixtures/signer/curves.ts";
import { startWithTwoKeys } from "../../fixtures/signer/rotation.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

describe("A service with a next signing key", () => {
  /** Such a service, and a way to ask it who signs. */
  async function fixture() {
    const stack = await startWithTwoKeys();
    const { address, wallet, request } = await stack.participate();
    const who = async () => {
      const { status, body } = await request();
      return status === 200 ? await stack.signerOf(address, wallet.address, body) : body.code;
    };
    return { ...stack, consumer: address, wallet, who };
  }

  it("signs with the next key once the registry lists it, and with the former one again if it is removed", async () => {
    const { first, next, add, remove, who } = await fixture();
    expect(await who()).to.equal(first.address);
    await add(next);
    expect(await who()).to.equal(next.address);
    await remove(next);
    expect(await who()).to.equal(first.address);
    await add(next);
    await remove(first);
    expect(await who()).to.equal(next.address);
    await remove(next);
    expect(await who()).to.equal("not_ready");
    await add(first);
    expect(await who()).to.equal(first.address);
  });

  it("reports the current signer and what the other waits for, in readiness and once in the log", async () => {
    const { url, registry, service, first, next, add, remove, who } = await fixture();
    async function ask() {
      // An older answer is given to nobody.
      passTime(1_000);
      const { checks } = (await (await fetch(`${url}/readyz`)).json()) as {
        checks: { signer: { ok: boolean; detail?: string } };
      };
      const { chains } = (await (await fetch(`${url}/.well-known/onchain-verifications`)).json()) as {
        chains: [{ signer: string; nextSigner?: string }];
      };
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const signing = [...metrics.matchAll(/^identity_signer\{signer="(\w+)"\} 1$/gm)].map(([, who]) => who);
      const silent = [...metrics.matchAll(/^identity_signer\{signer="(\w+)"\} 0$/gm)].map(([, who]) => who);
      const [{ signer, nextSigner }] = chains;
      return { ...checks.signer, signer, nextSigner, signing, silent };
    }
    const waits = `${first.address} signs. The next signer ${next.address} is not on the allowlist of the registry ${registry} yet; its owner must call addSigner(${next.address}).`;
    const follows = `The next signer ${next.address} signs. The former signer ${first.address} is still on the allowlist of the registry ${registry}.`;
    const alone = `The next signer ${next.address} signs. The former signer ${first.address} is not on the allowlist of the registry ${registry}; you no longer need its key.`;
    const before = { signer: first.address, signing: [first.address], silent: [next.address] };
    const after = {
      signer: next.address,
      nextSigner: undefined,
      signing: [next.address],
      silent: [first.address],
    };

    expect(await ask()).to.deep.equal({ ok: true, detail: waits, ...before, nextSigner: next.address });
    await add(next);
    expect(await ask()).to.deep.equal({ ok: true, detail: follows, ...after });
    await remove(first);
    expect(await ask()).to.deep.equal({ ok: true, detail: alone, ...after });
    expect(await who()).to.equal(next.address);
    await remove(next);
    expect(await ask()).to.deep.equal({
      ok: false,
      detail: `The signer ${next.address} was removed from the allowlist of the registry ${registry}. Do not add it again: its key may have leaked. Follow docs/leaks.md, "A signing key has leaked".`,
      ...after,
    });
    const told = service.log.map((line) => JSON.parse(line)).filter(({ msg }) => / signs\. /.test(msg));
    expect(told.map(({ signer, msg }) => [signer, msg])).to.deep.equal([
      [first.address, waits],
      [next.address, follows],
      [next.address, alone],
    ]);
    for (const { privateKey } of [first, next]) expect(service.log.join("")).not.to.include(privateKey);
  });

  it("asks for both signers in the round trip that reads the contract", async () => {
    const { rpcUrl, startAnother, consumer, wallet } = await fixture();
    const proxy = await serveProxy(rpcUrl);
    const { url } = await startAnother({ IDENTITY_RPC_URL: proxy.url });
    const ask = async () => (await requestVerification(url, await signedRequest(wallet, consumer))).status;
    // The service asks once a minute whether the node is a local one.
    expect(await ask()).to.equal(200);
    proxy.batches.length = 0;
    expect(await ask()).to.equal(200);
    expect(proxy.batches).to.deep.equal([
      ["eth_chainId", "eth_call", "eth_getBlockByNumber", "eth_getBlockByNumber"],
    ]);
  });

  it("relies on a reading of a public chain for a second, and on no older one", async () => {
    const { rpcUrl, startAnother, consumer, wallet, next, first, add, remove, signerOf } = await fixture();
    const { url: publicUrl } = await serveProxy(rpcUrl, hideLocalNode);
    const { url } = await startAnother({ IDENTITY_RPC_URL: publicUrl });
    const who = async () => {
      const { body } = await requestVerification(url, await signedRequest(wallet, consumer));
      return await signerOf(consumer, wallet.address, body);
    };
    await add(next);
    stopTime();
    expect(await who()).to.equal(next.address);
    await remove(next);
    expect(await who()).to.equal(next.address);
    passTime(1_000);
    expect(await who()).to.equal(first.address);
  });

  it("lets no verification leave by a reading that is older than two seconds", async () => {
    const { rpcUrl, startAnother, consumer, wallet, first, next, add, remove, signerOf } = await fixture();
    await add(next);
    const proxy = await serveProxy(rpcUrl);
    const { url } = await startAnother({ IDENTITY_RPC_URL: proxy.url });
    const request = await signedRequest(wallet, consumer);
    // The node has answered, and before the answer is there the signer is removed and more than two seconds are over.
    proxy.behaviour = {
      answer: async (method) => {
        if (method !== "eth_call") return;
        proxy.behaviour = {};
        await remove(next);
        passTime(2_001);
      },
    };
    const { body } = await requestVerification(url, request);
    expect(await signerOf(consumer, wallet.address, body)).to.equal(first.address);
  });
});

describe("followKey", () => {
  it("signs by each reading, and reports the signer of the newest", async () => {
    const { curve } = await openTestCurve();
    const [signingKey, nextSigningKey] = [1, 2].map((byte) =>
      privateKeySource(toBeHex(byte, 32), curve, "IDENTITY_SIGNING_KEY"),
    ) as [KeySource, KeySource];
    const [first, next] = [signingKey.address, nextSigningKey.address];
    const told: string[] = [];
    const tell = (signer: string) => void told.push(signer);
    const keys = followKey({ registry: `0x${"12".repeat(20)}`, signingKey, nextSigningKey, tell });
    const read = (allowed: readonly string[], age: number) =>
      keys.choose({ allowed, problem: undefined }, age)?.address;
    expect(read([first], 100)).to.equal(first);
    expect(read([next, first], 0)).to.equal(next);
    expect(read([first], 500)).to.equal(first);
    expect([keys.signer(), keys.nextSigner()]).to.deep.equal([next, undefined]);
    expect(read([], 0)).to.equal(undefined);
    expect(told).to.deep.equal([first, first, next]);
  });
});

describe("The key that signs", () => {
  it("is used although the other one is unavailable", async () => {
    const away = new Set<string>();
    const source = (address: string): KeySource => ({
      address,
      sign: () => Promise.reject(new KeyUnavailableError(address)),
      async check() {
        if (away.has(address)) throw new KeyUnavailableError(address);
      },
    });
    const [first, next] = ["0x01", "0x02"];
    const keys = followKey({
      registry: `0x${"12".repeat(20)}`,
      signingKey: source(first),
      nextSigningKey: source(next),
      tell: () => undefined,
    });
    const isThere = () =>
      keys.check().then(
        () => true,
        () => false,
      );
    for (const [allowed, signer, other] of [
      [[first], first, next],
      [[next, first], next, first],
      [[first], first, next],
    ] as const) {
      keys.choose({ allowed, problem: undefined }, 0);
      away.clear();
      away.add(other);
      expect([keys.signer(), await isThere()]).to.deep.equal([signer, true]);
      away.add(signer);
      expect(await isThere()).to.equal(false);
    }
  });
});

describe("The next signing key", () => {
  const own = () => hexlify(randomBytes(32));

  async function refusal(env: Readonly<Record<string, string>>): Promise<string> {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const place = { IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: await registry.getAddress() };
    const error = await rejection(startTestSigner({ ...place, ...env }));
    expect(error).to.be.instanceOf(InvalidInputError);
    for (const value of Object.values(env)) expect(error.message).not.to.include(value);
    return error.message;
  }

  it("is private if the other secrets are, and a development key if they are", async () => {
    const wellKnown = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    const ours = { IDENTITY_SIGNING_KEY: own(), IDENTITY_MASTER_SECRET: own() };
    const set = "set IDENTITY_NEXT_SIGNING_KEY.";
    expect(await refusal({ ...ours, IDENTITY_NEXT_SIGNING_KEY: wellKnown }))
      .to.include("does not combine them with your own")
      .and.include(set);
    expect(await refusal({ IDENTITY_NEXT_SIGNING_KEY: own() })).to.include(
      "set IDENTITY_SIGNING_KEY and IDENTITY_MASTER_SECRET.",
    );
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const service = await startTestSigner({
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: await registry.getAddress(),
      IDENTITY_NEXT_SIGNING_KEY: wellKnown,
    });
    expect(service.signer).to.equal(development.signer);
  });

  it("differs from the current one", async () => {
    const IDENTITY_SIGNING_KEY = own();
    const { address } = new Wallet(IDENTITY_SIGNING_KEY);
    expect(
      await refusal({
        IDENTITY_SIGNING_KEY,
        IDENTITY_NEXT_SIGNING_KEY: IDENTITY_SIGNING_KEY,
        IDENTITY_MASTER_SECRET: own(),
      }),
    ).to.include(`is the one that signs already (${address})`);
  });

  it("may stand in a file or a keystore, whose setting is named if wrong", async () => {
    const folder = await temporaryFolder();
    const [file, passwordFile, keyFile] = ["key.json", "password", "key"].map((name) => join(folder, name));
    const { address, privateKey } = Wallet.createRandom();
    const keystore = await encryptKeystoreJson({ address, privateKey }, "open sesame", {
      scrypt: { N: 2, r: 1, p: 1 },
    });
    const write = (path = "", text = "") => writeFile(path, text, { mode: 0o600 });
    await write(file, keystore);
    await write(passwordFile, "something else");
    await write(keyFile, own());
    const secrets = { IDENTITY_SIGNING_KEY: own(), IDENTITY_MASTER_SECRET: own() };
    const next = { IDENTITY_NEXT_SIGNING_KEY: `keystore:${file}?password-file=${passwordFile}` };
    expect(await refusal({ ...secrets, ...next })).to.equal(
      "The password in the password-file of IDENTITY_NEXT_SIGNING_KEY does not open its keystore.",
    );
    await write(passwordFile, "open sesame");
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const place = { IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: await registry.getAddress() };
    await (await registry.getFunction("addSigner")(address)).wait();
    expect((await startTestSigner({ ...place, ...secrets, ...next })).signer).to.equal(address);
    const fromFile = { ...secrets, IDENTITY_NEXT_SIGNING_KEY_FILE: keyFile ?? "" };
    const { log } = await startTestSigner({ ...place, ...fromFile });
    expect(log.join("")).to.include("nor the next one");
  });
});
