import { chmod, copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { hexlify, randomBytes, Wallet } from "ethers";
import { development } from "../../../protocol/development.ts";
import { openCredentialStore } from "../../../signer/index.ts";
import { deploy, serveChainWithRegistry } from "../../fixtures/chain/localChain.ts";
import { findLost } from "../../fixtures/signer/killedWrites.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { runIdentitySigner, spawnIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

describe("A backup that was taken while the store was written to", () => {
  it("is put in place of a store that was lost, and the service answers for what was in it", async () => {
    const { rpcUrl, registry, deployer } = await serveChainWithRegistry();
    const consumer = await deploy(deployer, "IncentiveProgram", [await registry.getAddress()]);
    const folder = await temporaryFolder();
    const [file, copy] = [join(folder, "identity.sqlite"), join(folder, "copy.sqlite")];
    const options = { databaseUrl: `file:${file}`, masterSecret: development.masterSecret };
    const env = {
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: await registry.getAddress(),
      IDENTITY_DATABASE_URL: options.databaseUrl,
      IDENTITY_MASTER_SECRET: options.masterSecret,
      IDENTITY_PORT: "0",
    };
    async function start() {
      const service = spawnIdentitySigner([], env);
      const { url } = JSON.parse(await service.waitFor(/^\{.*"listening".*\}$/m));
      const ask = async () =>
        (await requestVerification(url, await signedRequest(wallet, await consumer.getAddress()))).status;
      return { ...service, ask };
    }
    const store = await openCredentialStore(options);
    const account = { provider: "microblog", traits: { followers: "1200" } };
    async function add(address: string) {
      const authenticatedAt = Math.floor(Date.now() / 1000);
      await store.set({ ...account, wallet: address, accountId: address, authenticatedAt });
    }
    const wallet = Wallet.createRandom();
    await add(wallet.address);
    const service = await start();
    expect(await service.ask()).to.equal(200);

    let isBackedUp = false;
    const before: string[] = [];
    const written: string[] = [];
    async function write() {
      while (!isBackedUp) {
        const address = hexlify(randomBytes(20));
        await add(address);
        written.push(address);
        // SQLite answers without letting anything else have its turn.
        await setImmediate();
      }
    }
    const writing = write();
    while (written.length < 20) await setImmediate();
    before.push(...written);
    const backup = await runIdentitySigner(["backup", "--to", copy], env);
    isBackedUp = true;
    await writing;
    expect(backup.code, backup.output).to.equal(0);
    expect(written.length).to.be.greaterThan(before.length);

    await service.stop("SIGKILL");
    await store.close();
    await writeFile(file, "what a broken disk left");
    for (const name of [`${file}-wal`, `${file}-shm`]) await rm(name, { force: true });
    await copyFile(copy, file);
    await chmod(file, 0o600);

    const restored = await start();
    expect(await restored.ask()).to.equal(200);
    expect(await findLost(options, before)).to.deep.equal([]);
    await restored.stop("SIGTERM");
  }).timeout(120_000);
});
