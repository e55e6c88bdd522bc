import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect } from "chai";
import { Contract, HDNodeWallet, JsonRpcProvider, type Wallet } from "ethers";
import { readArtifact } from "../../ignition/artifacts.ts";
import { buildSignInMessage } from "../../protocol/signIn/build.ts";
import type { SignedVerification } from "../../protocol/verification.ts";
import { type ReadyLine, spawnDev, startDev } from "../fixtures/tasks/devProcess.ts";
import { root, runHardhat } from "../fixtures/tasks/hardhat.ts";

// Hardhat's well-known accounts.
const account = (index: number) =>
  HDNodeWallet.fromPhrase(
    "test test test test test test test test test test test junk",
    "",
    `m/44'/60'/0'/0/${index}`,
  );

/** What an app does, with nothing but an HTTP client and a wallet library. */
async function claim(ready: ReadyLine, wallet: HDNodeWallet | Wallet, consumer: string) {
  const message = buildSignInMessage({
    address: wallet.address,
    consumer,
    chainId: ready.chainId,
    domain: "app.example",
    uri: "https://app.example/claim",
    nonce: "8f3a1c77d0b2",
    issuedAt: new Date(),
  });
  const response = await fetch(`${ready.signerUrl}/v1/onchain_verifications`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message, signature: await wallet.signMessage(message) }),
  });
  expect(response.status).to.equal(200);
  const { identityHash, expiration, signature } = (await response.json()) as SignedVerification;
  const provider = new JsonRpcProvider(ready.rpcUrl, ready.chainId, {
    staticNetwork: true,
    cacheTimeout: -1,
  });
  const program = new Contract(consumer, readArtifact("examples/Airdrop").abi, wallet.connect(provider));
  return {
    identityHash,
    program,
    submit: () => program.getFunction("claim")(identityHash, expiration, signature),
  };
}

/** Stores a credential of more than 1000 followers, as an operator does. */
async function setCredential(ready: ReadyLine, wallets: readonly string[], accountId: string) {
  const { port } = new URL(ready.signerUrl);
  const { stdout, code } = await runHardhat([
    ...["identity", "credential", "set", "--json", "--port", port, "--wallet", wallets.join(",")],
    ...["--provider", "microblog", "--account-id", accountId, "--traits", '{"followers":1200}'],
  ]);
  expect(code, stdout).to.equal(0);
}

describe("identity dev", () => {
  describe("when it is ready", () => {
    let ready: ReadyLine;

    before(async () => {
      ({ ready } = await startDev());
    });

    it("writes all addresses into the file that the guide describes, and seeds no credential", async () => {
      const guide = await readFile(join(root, "docs/ci.md"), "utf8");
      const [, members = ""] = /`--ready-file` keeps ([^.]+) in a file/.exec(guide) ?? [];
      const named = [...members.matchAll(/`(\w+)`/g)].map(([, name]) => name);
      expect(named).to.have.members([...Object.keys(ready), "pid"]);
      expect(ready.chainId).to.equal(84532);
      expect(ready.consumers).to.include.keys("Airdrop", "IncentiveProgram");
      const { port } = new URL(ready.signerUrl);
      const { stdout } = await runHardhat(["identity", "credential", "list", "--json", "--port", port]);
      expect(JSON.parse(stdout)).to.deep.equal([]);
    });

    it("lets one wallet of a person claim and refuses the second, over HTTP and JSON-RPC alone", async () => {
      const [phone, laptop] = [account(1), account(2)];
      await setCredential(ready, [phone.address, laptop.address], "1001");
      const consumer = ready.consumers.Airdrop ?? "";

      const first = await claim(ready, phone, consumer);
      await (await first.submit()).wait();
      expect(await first.program.getFunction("identityUsed")(first.identityHash)).to.equal(true);

      const second = await claim(ready, laptop, consumer);
      expect(second.identityHash).to.equal(first.identityHash);
      const refusal = await second
        .submit()
        .catch(({ data }) => second.program.interface.parseError(data)?.signature);
      expect(refusal).to.equal("IdentityAlreadyUsed(bytes32)");
    });

    it("still admits one wallet and refuses the second after the chain's clock moved a day ahead", async () => {
      const wallet = account(3);
      const provider = new JsonRpcProvider(ready.rpcUrl);
      await provider.send("evm_increaseTime", [86_400]);
      await setCredential(ready, [wallet.address], "1003");
      const { submit, program, identityHash } = await claim(ready, wallet, ready.consumers.Airdrop ?? "");
      await (await submit()).wait();
      expect(await program.getFunction("identityUsed")(identityHash)).to.equal(true);
      provider.destroy();
    });
  });

  it("prints three commands that enrol one wallet and refuse a second, and last the address of the demo", async () => {
    const dev = spawnDev(["--rpc-port", "0", "--port", "0"], {
      SSH_CONNECTION: "192.0.2.1 50000 192.0.2.2 22",
    });
    await dev.waitFor(/ and claim\..*\n/);
    const printed = stripVTControlCharacters(dev.output()).trimEnd();
    expect(printed.split("\n").filter((line) => line.length > 100)).to.deep.equal([]);
    const lines = printed.replaceAll(" \\\n  ", " ").split("\n");
    const open = lines.at(-1) ?? "";
    expect(open).to.match(/^Open http:\/\/127\.0\.0\.1:\d+ and claim\.$/);
    const commands = lines.filter((line) => line.startsWith("npx hardhat "));
    // Sentences fit a terminal of 80 columns, and name the consumer of the commands.
    const settings = lines.filter((line) => line.startsWith(". "));
    expect(settings).to.have.length(1);
    const forwarding = lines.filter((line) => line.startsWith("ssh "));
    expect(forwarding).to.have.length(1);
    const toPaste = [...commands, ...settings, ...forwarding];
    const sentences = lines.filter((line) => !toPaste.includes(line));
    expect(sentences.filter((line) => line.length > 80)).to.deep.equal([]);
    expect(sentences.join(" ")).to.match(/try the example Airdrop in another terminal/);
    const results = [];
    for (const command of commands) {
      const [npx, hardhat, ...args] = command.match(/'[^']*'|\S+/g) ?? [];
      expect([npx, hardhat]).to.deep.equal(["npx", "hardhat"]);
      results.push(await runHardhat(args.map((arg) => arg.replaceAll("'", ""))));
    }
    const [stored, claimed, refused] = results;
    expect(stored).to.include({ code: 0 });
    expect(claimed).to.include({ code: 0 });
    expect(claimed?.stdout).to.match(/Accepted\s+claim in transaction 0x[0-9a-f]{64}/);
    expect(refused).to.include({ code: 1 });
    expect(refused?.stdout).to.match(
      /Refused\s+claim reverts with IdentityAlreadyUsed\(0x[0-9a-f]{4}…[0-9a-f]{4}\)/,
    );
  });
});
