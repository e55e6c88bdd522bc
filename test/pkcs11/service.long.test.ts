import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { hexlify, randomBytes } from "ethers";
import { libraries, needSoftHsm, sharedToken, type Token } from "../fixtures/pkcs11/softHsm.ts";
import { startProcess } from "../fixtures/process.ts";
import { startStack } from "../fixtures/signer/stack.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("A service whose signing key is on a token", () => {
  let token: Token;

  before(async function () {
    needSoftHsm(this);
    token = await sharedToken();
  });

  it("does not start with a wrong PIN, which is tried once", async () => {
    const label = hexlify(randomBytes(8));
    await token.generateKey(label);
    const { rpcUrl, registry } = await startStack();
    const folder = await temporaryFolder();
    const calls = join(folder, "calls");
    const service = (pin: string) =>
      startProcess(process.execPath, [join(root, "packages/operator/cli/identity-signer.ts")], {
        env: cleanEnvironment({
          IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)),
          ...token.environment,
          IDENTITY_RPC_URL: rpcUrl,
          IDENTITY_REGISTRY: registry,
          IDENTITY_DATABASE_URL: `file:${join(folder, "identity.sqlite")}`,
          IDENTITY_PORT: "0",
          IDENTITY_SIGNING_KEY: token.uri(label, { module: libraries.spy, pin }),
          PKCS11SPY: libraries.softHsm,
          PKCS11SPY_OUTPUT: calls,
        }),
      });
    const refused = service("pin-value=wrong%20pin");
    expect(await refused.ended).to.equal(1);
    expect(refused.output()).to.include("does not take the PIN (CKR_PIN_INCORRECT)");
    expect(refused.output()).not.to.match(/wrong( |%20)pin/);
    const count = async () => (await readFile(calls, "utf8")).match(/: C_Login$/gm)?.length;
    expect(await count()).to.equal(1);

    const pinFile = join(folder, "pin");
    await writeFile(pinFile, `${token.pin}\n`, { mode: 0o600 });
    const right = service(`pin-source=file:${pinFile}`);
    await right.waitFor(/listening/i);
    expect(await count()).to.equal(2);
    await right.stop("SIGTERM");
    expect(right.output()).not.to.include(token.pin);
  }).timeout(400_000);
});
