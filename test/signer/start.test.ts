import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { encryptKeystoreJson, hexlify, randomBytes, Wallet } from "ethers";
import { development } from "../../packages/protocol/development.ts";
import { InvalidInputError } from "../../packages/protocol/errors.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { rejection } from "../fixtures/rejection.ts";
import { startTestSigner } from "../fixtures/signer/signer.ts";
import { requestVerification, signedRequest } from "../fixtures/signer/signIn.ts";
import { startStack } from "../fixtures/signer/stack.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const registry = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

describe("Starting the signer", () => {
  async function fixture() {
    const { rpcUrl } = await serveLocalChain();
    return { IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: registry };
  }

  it("serves on the returned port, with the development signer on a local node", async () => {
    const { url, port, signer, log } = await startTestSigner(await fixture());
    expect(url).to.equal(`http://127.0.0.1:${port}`);
    expect(signer).to.equal(development.signer);
    expect(log.join("")).to.include('"key":"development"');
    const response = await fetch(`${url}/healthz`);
    expect(response.status).to.equal(200);
    expect(await response.json()).to.deep.equal({ status: "ok" });
  });

  it("says that its port is in use", async () => {
    const env = await fixture();
    const first = await startTestSigner(env);
    const error = await rejection(startTestSigner({ ...env, IDENTITY_PORT: String(first.port) }));
    expect(error).to.be.instanceOf(InvalidInputError);
    expect(error.message).to.match(new RegExp(`^Port ${first.port} on 127\\.0\\.0\\.1 is in use.*$`));
  });

  it("leaves no store behind if it cannot listen", async () => {
    const env = await fixture();
    const first = await startTestSigner(env);
    const file = join(await temporaryFolder(), "identity.sqlite");
    const second = { IDENTITY_PORT: String(first.port), IDENTITY_DATABASE_URL: `file:${file}` };
    await rejection(startTestSigner({ ...env, ...second }));
    expect(existsSync(file)).to.equal(false);
  });

  it("takes no port if the store cannot be opened", async () => {
    const env = await fixture();
    const file = join(await temporaryFolder(), "missing", "identity.sqlite");
    const { url, port, close } = await startTestSigner(env);
    await close();
    const metricsPort = String(await findFreePort());
    const ports = { IDENTITY_PORT: String(port), IDENTITY_METRICS_PORT: metricsPort };
    const start = () => startTestSigner({ ...env, ...ports, IDENTITY_DATABASE_URL: `file:${file}` });
    expect((await rejection(start())).message).to.equal(
      `The database file ${file} cannot be used: ENOENT: no such file or directory, open '${file}'.`,
    );
    await mkdir(dirname(file));
    let started = false;
    const starting = start().then(() => {
      started = true;
    });
    const statuses = new Set<number>();
    while (!started) {
      for (const place of [url, `http://127.0.0.1:${metricsPort}`]) {
        const { status } = await fetch(`${place}/healthz`).catch(() => ({ status: 0 }));
        statuses.add(status);
      }
    }
    await starting;
    statuses.delete(0);
    expect([...statuses]).to.deep.equal([200]);
  });

  it("closes the store if it cannot enter in the audit trail which signer it uses", async () => {
    const env = await fixture();
    const { config, close } = await startTestSigner(env);
    await close();
    const [, file = ""] = config.databaseUrl.split("file:");
    const database = new DatabaseSync(file);
    database.exec("create trigger full before insert on audit begin select raise(abort, 'full'); end");
    database.close();
    await rejection(startTestSigner({ ...env, IDENTITY_DATABASE_URL: config.databaseUrl }));
    // SQLite removes it with the last connection.
    expect([existsSync(file), existsSync(`${file}-wal`)]).to.deep.equal([true, false]);
  });

  it("lets requests under way end when it is closed, and takes no new ones", async () => {
    const stack = await startStack();
    const proxy = await serveProxy(stack.rpcUrl);
    const { url, close } = await stack.startReplica({ IDENTITY_RPC_URL: proxy.url });
    const { wallet, address } = await stack.participate();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    proxy.batches.length = 0;
    proxy.behaviour = { answer: () => held };
    const underWay = requestVerification(url, await signedRequest(wallet, address));
    while (proxy.batches.length === 0) await new Promise((resolve) => setImmediate(resolve));
    let closed = false;
    const closing = close().then(() => {
      closed = true;
    });
    const refused = await rejection(fetch(`${url}/healthz`));
    expect(refused.cause).to.have.property("code", "ECONNREFUSED");
    expect(closed).to.equal(false);
    release();
    expect((await underWay).status).to.equal(200);
    // The client, and Node, would keep the connection open for longer.
    expect(await Promise.race([closing, delay(3_000, "its connection stays")])).to.equal(undefined);
  });

  it("signs with the key in a keystore file", async () => {
    const { address, privateKey } = Wallet.createRandom();
    const folder = await temporaryFolder();
    const [file, passwordFile] = [join(folder, "key.json"), join(folder, "password")];
    // Fewer rounds than a real one has: what they cost is not what is tested.
    const scrypt = { scrypt: { N: 1024 } };
    const content = await encryptKeystoreJson({ address, privateKey }, "open sesame", scrypt);
    await writeFile(file, content, { mode: 0o600 });
    await writeFile(passwordFile, "open sesame\n", { mode: 0o600 });
    const keystore = {
      IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)),
      IDENTITY_SIGNING_KEY: `keystore:${file}?password-file=${passwordFile}`,
    };
    const { signer } = await startTestSigner({ ...(await fixture()), ...keystore });
    expect(signer).to.equal(address);

    await writeFile(passwordFile, "open barley");
    const wrong = await rejection(startTestSigner({ ...(await fixture()), ...keystore }));
    expect(wrong.message).to.equal(
      "The password in the password-file of IDENTITY_SIGNING_KEY does not open its keystore.",
    );
    await writeFile(file, "{}");
    const noKeystore = await rejection(startTestSigner({ ...(await fixture()), ...keystore }));
    expect(noKeystore.message).to.equal(
      "The file that IDENTITY_SIGNING_KEY names is not a keystore of Web3 Secret Storage version 3.",
    );

    await chmod(passwordFile, 0o644);
    const exposed = await rejection(startTestSigner({ ...(await fixture()), ...keystore }));
    expect(exposed.message).to.equal(
      "IDENTITY_SIGNING_KEY (password-file) names a file that other users can read or change (mode 0644); set its mode to 0600 or 0400.",
    );
    const password = { ...keystore, IDENTITY_SIGNING_KEY: `keystore:${file}?password-file=open sesame` };
    const mistaken = await rejection(startTestSigner({ ...(await fixture()), ...password }));
    expect(mistaken.message).to.equal(
      "IDENTITY_SIGNING_KEY (password-file) names a file that cannot be read (ENOENT); set it to the file's path.",
    );
  }).timeout(60_000);

  it("refuses the development secrets when the node cannot be asked whether it is local", async () => {
    const error = await rejection(
      startTestSigner({ IDENTITY_RPC_URL: "http://127.0.0.1:1", IDENTITY_REGISTRY: registry }),
    );
    expect(error).to.be.instanceOf(InvalidInputError);
    const names = "IDENTITY_SIGNING_KEY and IDENTITY_MASTER_SECRET";
    expect(error.message).to.equal(
      `Without ${names} of your own, the service uses development secrets, and only for a local development node. It cannot ask the node (IDENTITY_RPC_URL) whether it is one: The node cannot be reached (fetch refuses its port). Fix that, or set ${names}.`,
    );
  });
});
