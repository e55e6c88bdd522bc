import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { encryptKeystoreJson, hexlify, randomBytes } from "ethers";
import type { ReadinessReport } from "../../packages/protocol/health.ts";
import type { Hex } from "../../packages/protocol/hex.ts";
import { needSoftHsm, sharedToken, type Token } from "../fixtures/pkcs11/softHsm.ts";
import { requestVerification, signedRequest } from "../fixtures/signer/signIn.ts";
import { startOwnStack } from "../fixtures/signer/stack.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("A service whose signing key is on a token", function () {
  this.timeout(180_000);
  let token: Token;

  before(async function () {
    needSoftHsm(this);
    token = await sharedToken();
  });

  const environmentFor = (key: string) => ({
    IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)),
    IDENTITY_SIGNING_KEY: token.uri(key),
  });

  it("issues verifications that the contract accepts, as with the same key in a keystore", async () => {
    const privateKey = hexlify(randomBytes(32)) as Hex;
    const label = hexlify(randomBytes(8));
    await token.importKey(label, privateKey);
    const environment = environmentFor(label);
    const stack = await startOwnStack(environment);
    const listening = stack.service.log.find((line) => line.includes('"listening"'));
    expect(JSON.parse(listening ?? "{}")).to.include({ key: "pkcs11", signer: stack.service.signer });
    const { consumer, address, wallet, request } = await stack.participate();
    const { status, body } = await request();
    expect(status, JSON.stringify(body)).to.equal(200);
    await stack.enroll(consumer, wallet, body);

    const folder = await temporaryFolder();
    const [file, passwordFile] = [join(folder, "key.json"), join(folder, "password")];
    const account = { address: stack.service.signer, privateKey };
    const keystore = await encryptKeystoreJson(account, "open sesame", { scrypt: { N: 2, r: 1, p: 1 } });
    await writeFile(file, keystore, { mode: 0o600 });
    await writeFile(passwordFile, "open sesame", { mode: 0o600 });
    const { url, signer } = await stack.startReplica({
      IDENTITY_SIGNING_KEY: `keystore:${file}?password-file=${passwordFile}`,
    });
    expect(signer).to.equal(stack.service.signer);
    const another = await stack.addWallet();
    const signed = await requestVerification(url, await signedRequest(another, address));
    await stack.enroll(consumer, another, signed.body);
  });

  it("answers 503 while the token is away, is not ready and tells why in the log, and goes on by itself", async () => {
    const label = hexlify(randomBytes(8));
    await token.generateKey(label);
    const stack = await startOwnStack(environmentFor(label));
    const { consumer, wallet, request } = await stack.participate();
    const readyz = async () => {
      const response = await fetch(`${stack.url}/readyz`);
      const report = (await response.json()) as ReadinessReport;
      return { code: response.status, ...report };
    };
    await token.takeAway();
    try {
      const { status, body, response } = await request();
      expect(status).to.equal(503);
      expect(body.code).to.equal("not_ready");
      expect(body).not.to.have.property("signature");
      expect(Number(response.headers.get("retry-after"))).to.be.greaterThan(0);
      expect(JSON.stringify(body)).not.to.include(token.label).and.not.include("CKR");
      // For a second, it may still report the state of its start.
      let ready = await readyz();
      while (ready.checks.key.detail?.includes("out of reach") !== true) {
        await delay(100);
        ready = await readyz();
      }
      expect(ready).to.include({ code: 503, status: "not_ready" });
      const line = stack.service.log.find((text) => text.includes('"code":"not_ready"')) ?? "{}";
      expect(JSON.parse(line).reason).to.match(/^The signing key is unavailable: /);
      // It is on the allowlist all the same.
      expect(ready.checks.signer).to.deep.equal({ ok: true });
      expect(ready.checks.key).to.deep.equal({
        ok: false,
        detail: `The signing key of ${stack.service.signer} is out of reach; the log says why.`,
      });
      const told = stack.service.log.filter((line) => line.includes("out of reach"));
      expect(told).to.have.length(1);
      expect(JSON.parse(told[0] ?? "{}").reason).to.include(token.label);
      expect((await fetch(`${stack.url}/healthz`)).status).to.equal(200);
    } finally {
      await token.putBack();
    }
    while ((await readyz()).code !== 200) await delay(100);
    const { status, body } = await request();
    expect(status).to.equal(200);
    await stack.enroll(consumer, wallet, body);
    expect(stack.service.log.join("")).not.to.include(token.pin);
  });
});
