import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { type Contract, encryptKeystoreJson, hexlify, id, randomBytes, Wallet } from "ethers";
import type { Hex } from "../../packages/protocol/hex.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { deployGuardedRegistry } from "../fixtures/chain/guardedRegistry.ts";
import { deploy, serveLocalChain } from "../fixtures/chain/localChain.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { read } from "../fixtures/deploy/deployFiles.ts";
import { splitCommands } from "../fixtures/markdown.ts";
import { recoverSigner } from "../fixtures/signer/rotation.ts";
import { requestVerification, signedRequest } from "../fixtures/signer/signIn.ts";
import { forgeVerification } from "../fixtures/signer/watchedRegistry.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";
import {
  runIdentitySignerProcess,
  spawnIdentitySigner,
  startIdentitySigner,
} from "../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const run = promisify(execFile);
const followers = [{ name: "followers", op: "gt", value: "1000" }];

/** The commands of each step that has some. */
function readSteps(): string[][] {
  const section = read("docs/leaks.md").split("## A signing key has leaked")[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^ {3}```sh\n([\s\S]*?)^ {3}```$/gm)].map(([, block = ""]) =>
    splitCommands(block.replaceAll(/^ {3}/gm, "")),
  );
}

describe("The steps of docs/leaks.md after a signing key has leaked", function () {
  this.timeout(120_000);

  it("bring a service back with its spare key, and list the forged claims", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const [deployer, admin, user] = await Promise.all([0, 1, 2].map((i) => provider.getSigner(i)));
    if (!deployer || !admin || !user) throw new Error("The node has too few accounts.");
    const guardian = Wallet.createRandom();
    await (await deployer.sendTransaction({ to: guardian.address, value: 10n ** 18n })).wait();

    const folder = await temporaryFolder();
    await mkdir(join(folder, "safe"));
    const keys = [];
    for (const place of [folder, join(folder, "safe")]) {
      const key = Wallet.createRandom();
      keys.push(key);
      await writeFile(join(place, "keystore-password"), "of a test", { mode: 0o600 });
      const { address, privateKey } = key;
      const scrypt = { scrypt: { N: 1024 } };
      const keystore = await encryptKeystoreJson({ address, privateKey }, "of a test", scrypt);
      await writeFile(join(place, "keystore.json"), keystore, { mode: 0o600 });
    }
    const [leaked, spare] = keys.map(({ address }) => address);
    const roles = { admin: admin.address, guardian: guardian.address };
    const { registry } = await deployGuardedRegistry(deployer, roles, [leaked ?? "", spare ?? ""]);
    const at = String(registry.target);
    const consumer = (await deploy(deployer, "ChosenConsumer", [at, "microblog", followers])) as Contract;
    const address = String(consumer.target);

    const databaseUrl = `file:${join(folder, "identity.sqlite")}`;
    const masterSecret = hexlify(randomBytes(32)) as Hex;
    const environment = {
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: at,
      IDENTITY_DATABASE_URL: databaseUrl,
      IDENTITY_MASTER_SECRET: masterSecret,
    };
    const keystore = `${join(folder, "keystore.json")}?password-file=${join(folder, "keystore-password")}`;
    const ofService = { ...environment, IDENTITY_PORT: "0", IDENTITY_SIGNING_KEY: `keystore:${keystore}` };
    let service = await startIdentitySigner(ofService);
    const store = await openCredentialStore({ databaseUrl, masterSecret });
    onCleanup(() => store.close());
    const authenticatedAt = Math.floor(Date.now() / 1000);
    await store.set({
      wallet: user.address,
      provider: "microblog",
      accountId: "1",
      traits: { followers: "1200" },
      authenticatedAt,
    });
    const ask = async () => (await requestVerification(service.url, await signedRequest(user, address))).body;
    const signerOf = async () =>
      recoverSigner(registry, { consumer: address, user: user.address, ...(await ask()) });
    expect(await signerOf()).to.equal(leaked);

    // So that the newest block is not too old, however slow the machine is.
    const mine = () => provider.send("evm_mine", []);
    await mine();
    const watching = spawnIdentitySigner(
      [
        "watch",
        "--json",
        "--brake",
        "--service",
        service.url,
        "--signer",
        spare ?? "",
        "--position-file",
        join(folder, "position"),
      ],
      { ...environment, IDENTITY_GUARDIAN_KEY: guardian.privateKey },
    );
    await watching.waitFor(/"watching"/);
    const stolen = await Wallet.fromEncryptedJson(
      await readFile(join(folder, "keystore.json"), "utf8"),
      "of a test",
    );
    const enroll = async (identityHash: Hex) => {
      const expiration = ((await provider.getBlock("latest"))?.timestamp ?? 0) + 3_000;
      const forged = await forgeVerification(registry, {
        consumer: address,
        user: admin.address,
        identityHash,
        expiration,
        signingKey: stolen.privateKey,
      });
      const method = (consumer.connect(admin) as Contract).getFunction("enroll");
      return await method(identityHash, expiration, forged.signature);
    };
    const { hash } = await enroll(id("one") as Hex);
    await watching.waitFor(/"removed"/);
    expect(await enroll(id("two") as Hex).catch(({ data }) => data)).to.match(/^0x/);

    const [[removal = ""] = [], swap = [], listing = []] = readSteps();
    const filled = removal.replace("--signer 0x…", `--signer ${leaked}`).replace("0x…", at);
    const removed = await runHardhat(filled.split(" ").slice(2), {
      env: { BASE_SEPOLIA_RPC_URL: rpcUrl, DEPLOYER_PRIVATE_KEY: guardian.privateKey },
    });
    expect(removed.stderr).to.include(`${leaked} is not on the allowlist`);

    const files = swap.filter((command) => !/^(systemctl|curl)/.test(command));
    const commands = files.join("\n").replaceAll("/etc/identity-signer", folder);
    await run("sh", ["-ec", commands.replaceAll("<spare>", join(folder, "safe"))]);
    await service.stop("SIGTERM");
    service = await startIdentitySigner(ofService);
    await mine();
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    expect(await signerOf()).to.equal(spare);

    await mine();
    const results = [];
    for (const command of listing) {
      const placed = command
        .replace("https://identity.example", service.url)
        .replace("<block>", "1")
        .replace("leak.position", join(folder, "leak.position"));
      results.push(
        await runIdentitySignerProcess(placed.split("identity-signer ")[1]?.split(" ") ?? [], environment),
      );
    }
    const [verified, watched] = results;
    expect(verified?.code, verified?.output).to.equal(0);
    const { forged, strangers } = JSON.parse(watched?.stdout.trim().split("\n").at(-1) ?? "{}");
    expect([watched?.code, strangers]).to.deep.equal([1, []]);
    expect(forged).to.have.length(1);
    expect(forged[0]).to.include({ transactionHash: hash, signer: leaked });
  });
});
