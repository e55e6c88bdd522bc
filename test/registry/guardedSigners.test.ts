import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import {
  Contract,
  concat,
  getCreate2Address,
  Interface,
  type JsonRpcProvider,
  type JsonRpcSigner,
  keccak256,
  Wallet,
  ZeroHash,
  zeroPadValue,
} from "ethers";
import { readOpenZeppelinArtifact } from "../../ignition/artifacts.ts";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { readGuard } from "../../packages/registry/internal/chain/readGuard.ts";
import { deployAccessManager, deployGuardedRegistry } from "../fixtures/chain/guardedRegistry.ts";
import { deploy, serveLocalChain } from "../fixtures/chain/localChain.ts";
import { type Behaviour, type Call, hideLocalNode, serveProxy } from "../fixtures/chain/proxy.ts";
import { deploySafeContracts, executeAsSafe, planSafe } from "../fixtures/chain/safe.ts";
import { announce } from "../fixtures/tasks/announcedStack.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const day = 86_400;
const newSigner = () => Wallet.createRandom().address;

async function pass(provider: JsonRpcProvider, seconds: number): Promise<void> {
  await provider.send("evm_increaseTime", [seconds]);
  await provider.send("evm_mine", []);
}

/** Has an administrator call its AccessManager, such as to give somebody a role, which takes a day. */
async function administer(provider: JsonRpcProvider, ofAdmin: Contract, name: string, ...args: unknown[]) {
  const call = [ofAdmin.target, ofAdmin.interface.encodeFunctionData(name, args)];
  await (await ofAdmin.getFunction("schedule")(...call, 0)).wait();
  await pass(provider, day);
  await (await ofAdmin.getFunction("execute")(...call)).wait();
}

/** Runs `identity signers` on a registry, as somebody who has the keys of some accounts. */
async function tasksAs(
  rpcUrl: string,
  registry: string,
  accounts: readonly string[],
  instead: Behaviour["instead"] = () => undefined,
) {
  const proxy = await serveProxy(rpcUrl, {
    instead(call) {
      const { method, params: [range] = [] } = call;
      if (method === "eth_accounts") return { result: accounts };
      const other = instead(call);
      if (other !== undefined) return other;
      const { fromBlock, toBlock } = Object(range);
      // As many public nodes do.
      const isMuch = method === "eth_getLogs" && Number(toBlock) - Number(fromBlock) >= 10;
      return isMuch ? { error: { code: -32_005, message: "query exceeds max block range 10" } } : undefined;
    },
  });
  const port = announce({ rpcUrl: proxy.url });
  const run = (...args: string[]) =>
    runHardhat(["identity", "signers", ...args, "--registry", registry, "--port", port]);
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, "--json");
    expect(stderr).to.equal("");
    return { code, ...JSON.parse(stdout) };
  };
  return { run, json };
}

describe("identity signers, of a registry that an AccessManager owns", function () {
  this.timeout(300_000);

  async function fixture(signers: readonly string[] = []) {
    const { rpcUrl, provider } = await serveLocalChain();
    const [deployer, admin, guardian] = await Promise.all([0, 1, 2].map((i) => provider.getSigner(i)));
    if (!deployer || !admin || !guardian) throw new Error("The node has too few accounts.");
    const { manager, registry } = await deployGuardedRegistry(
      deployer,
      { admin: admin.address, guardian: guardian.address },
      signers,
    );
    const at = String(registry.target);
    return {
      rpcUrl,
      provider,
      deployer,
      admin,
      guardian,
      manager,
      registry,
      at,
      isSigner: (signer: string): Promise<boolean> => registry.getFunction("isSigner")(signer),
      as: (...accounts: string[]) => tasksAs(rpcUrl, at, accounts),
      asBlind: (account: string) =>
        tasksAs(rpcUrl, at, [account], ({ method }) =>
          method === "eth_getLogs" ? { error: { code: -32_601, message: "No such method" } } : undefined,
        ),
    };
  }

  it("lists a registry though its administrator has scheduled something for the end of all times", async () => {
    const { admin, manager, at, as } = await fixture();
    const ofAdmin = manager.connect(admin) as Contract;
    const abi = new Interface(["function addSigner(address)"]);
    for (const when of [2n ** 48n - 700_000n, 2n ** 48n - 1n]) {
      const addition = abi.encodeFunctionData("addSigner", [newSigner()]);
      await (await ofAdmin.getFunction("schedule")(at, addition, when)).wait();
      const { code, stdout } = await (await as(admin.address)).run("list");
      expect([code, stdout.includes("unix second 281474976010656")], stdout).to.deep.equal([0, true]);
    }
  });

  it("schedules the addition of a signer, says from when it can be executed, and executes it then", async () => {
    const { provider, admin, guardian, manager, at, isSigner, as } = await fixture();
    const { run, json } = await as(admin.address);
    const signer = newSigner();
    const tried = await json("add", "--signer", signer, "--dry-run");
    expect(tried).to.include({ code: 0, sent: false, step: "schedule", from: admin.address });
    expect(tried.transaction.to).to.equal(manager.target);
    const scheduled = await json("add", "--signer", signer);
    const block = await provider.getBlock("latest");
    const executableFrom = (block?.timestamp ?? 0) + day;
    const schedule = { executableFrom, executableUntil: executableFrom + 7 * day };
    expect(scheduled).to.deep.equal({
      code: 0,
      registry: at,
      signer,
      sent: true,
      step: "schedule",
      transactionHash: scheduled.transactionHash,
      blockNumber: block?.number,
      ...schedule,
    });

    const listed = await json("list");
    expect(listed).to.include({ owner: manager.target, ownerIsContract: true });
    expect(listed.guard.members).to.deep.equal([
      { account: admin.address, may: "add", delay: day },
      { account: guardian.address, may: "remove", delay: 0 },
      { account: admin.address, may: "remove", delay: 0 },
      { account: guardian.address, may: "cancel", delay: 0 },
      { account: admin.address, may: "cancel", delay: 0 },
      { account: admin.address, may: "administer", delay: day },
    ]);
    const data = new Interface(["function addSigner(address)"]).encodeFunctionData("addSigner", [signer]);
    const operation = { call: `addSigner(${signer})`, target: at, data, caller: admin.address, ...schedule };
    expect(listed.guard.operations).to.deep.equal([operation]);
    const date = (time: number) => new Date(time * 1000).toISOString().replace(".000", "");
    const text = (await run("list")).stdout;
    expect(text).to.include(`Owner        ${manager.target}, an AccessManager\n`);
    expect(text).to.include(`May add      ${admin.address}, 24 h after scheduling it\n`);
    expect(text).to.include(`May remove   ${guardian.address}, at once\n`);
    expect(text).to.include(
      `Scheduled    addSigner(${signer}) by ${admin.address}, executable from ${date(executableFrom)} to ${date(executableFrom + 7 * day)}\n`,
    );

    await pass(provider, day - 60);
    const early = await json("add", "--signer", signer);
    expect(early).to.deep.equal({
      code: 1,
      registry: at,
      signer,
      sent: false,
      owner: manager.target,
      step: "wait",
      ...schedule,
    });
    expect((await run("add", "--signer", signer)).stdout).to.include(
      `the same command, from ${date(executableFrom)} to`,
    );
    expect(await isSigner(signer)).to.equal(false);
    await pass(provider, 60);
    expect(await json("add", "--signer", signer)).to.include({ code: 0, sent: true, step: "execute" });
    expect(await isSigner(signer)).to.equal(true);
    expect((await json("list")).guard.operations).to.deep.equal([]);
  });

  it("goes on with what an account of the network has scheduled, and schedules again what expired", async () => {
    const { provider, deployer, admin, manager, isSigner, as } = await fixture();
    const ofAdmin = manager.connect(admin) as Contract;
    await administer(provider, ofAdmin, "grantRole", 2, deployer.address, day);
    const signer = newSigner();
    await (await as(admin.address)).json("add", "--signer", signer);
    const { run, json } = await as(deployer.address, admin.address);
    expect(await json("add", "--signer", signer)).to.include({ code: 1, step: "wait" });
    await pass(provider, day);
    const executes = `execute(addSigner(${signer})), which ${admin.address} must send`;
    expect((await run("add", "--signer", signer, "--dry-run")).stdout).to.include(executes);
    await pass(provider, 8 * day);
    expect(await json("add", "--signer", signer)).to.include({ code: 0, step: "schedule" });
    expect(await isSigner(signer)).to.equal(false);
  });

  it("has a guardian remove a signer at once and cancel an addition, but schedule none", async () => {
    const [leaked, stranger, another] = [newSigner(), newSigner(), newSigner()];
    const { admin, guardian, manager, registry, at, isSigner, as, asBlind } = await fixture([
      leaked,
      another,
    ]);
    const guardianTasks = await as(guardian.address);
    const adminTasks = await as(admin.address);
    const removal = ["remove", "--signer", leaked, "--yes"];
    // It is removed, also if its addition is scheduled once more, which is cancelled then.
    const addition = registry.interface.encodeFunctionData("addSigner", [leaked]);
    await (await (manager.connect(admin) as Contract).getFunction("schedule")(at, addition, 0)).wait();
    const removed = await guardianTasks.run(...removal);
    expect(removed.stdout).to.match(
      new RegExp(
        `\nScheduled +addSigner\\(${leaked}\\) by ${admin.address}\nNext +the same command, to cancel that\n`,
      ),
    );
    expect(await isSigner(leaked)).to.equal(false);
    expect(await guardianTasks.json(...removal)).to.include({ code: 0, sent: true, step: "cancel" });

    // Also at a node that cannot tell what is scheduled.
    const blind = await (await asBlind(guardian.address)).run("remove", "--signer", another, "--yes");
    expect(blind.stdout).to.match(
      /\nScheduled +perhaps its addition: the node did not return all events\nNext +the/,
    );
    expect([blind.code, await isSigner(another)]).to.deep.equal([0, false]);

    await adminTasks.json("add", "--signer", stranger);
    const refused = await guardianTasks.json("add", "--signer", newSigner());
    expect(refused.error.message).to.include(`Only ${admin.address} can do that`);
    const cancelled = await guardianTasks.run("remove", "--signer", stranger);
    expect(cancelled.stdout).to.match(
      new RegExp(`^Cancelled +addSigner\\(${stranger}\\), which ${admin.address} had scheduled\n`),
    );
    expect((await adminTasks.json("list")).guard.operations).to.deep.equal([]);
    const gone = await guardianTasks.json("remove", "--signer", stranger);
    expect(gone.error.message).to.include(`${stranger} is not on the allowlist`);
  });

  it("says that a closed registry lets nobody remove a signer, guardians neither", async () => {
    const leaked = newSigner();
    const { provider, admin, guardian, manager, at, as } = await fixture([leaked]);
    const tasks = await as(guardian.address);
    expect((await tasks.json("list")).guard.isClosed).to.equal(false);
    await administer(provider, manager.connect(admin) as Contract, "setTargetClosed", at, true);
    expect((await tasks.run("list")).stdout).to.match(/\nClosed +nobody may add or remove signers, until/);
    const refused = await tasks.json("remove", "--signer", leaked, "--yes");
    expect(refused.error.message).to.match(
      /has closed the registry 0x\w+: nobody may call removeSigner, until/,
    );
  });

  it("sends nothing for an account without a role, and names who has it", async () => {
    const signer = newSigner();
    const { provider, deployer, admin, guardian, as } = await fixture([signer]);
    const { json } = await as(deployer.address);
    const blocks = await provider.getBlockNumber();
    const refused = await json("remove", "--signer", signer, "--yes");
    expect(refused.error.message)
      .to.include(`Only ${admin.address} or ${guardian.address} can do that`)
      .and.include(`these are ${deployer.address}`);
    expect(await provider.getBlockNumber()).to.equal(blocks);
  });

  it("finds who may do what in ranges that the node allows, back to the deployment of the AccessManager and no further", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const [deployer, admin, guardian] = await Promise.all([0, 1, 2].map((i) => provider.getSigner(i)));
    if (!deployer || !admin || !guardian) throw new Error("The node has too few accounts.");
    await provider.send("hardhat_mine", ["0x40"]);
    const roles = { admin: admin.address, guardian: guardian.address };
    const { manager, registry } = await deployGuardedRegistry(deployer, roles);
    await provider.send("hardhat_mine", ["0x40"]);
    const { run, json } = await tasksAs(rpcUrl, String(registry.target), []);
    const { guard } = await json("list");
    expect(guard.members).to.have.length(6);
    expect(guard.searchedFrom).to.be.within(0x40 - 9, 0x41);
    expect((await run("list", "--from-block", "100")).stdout).to.match(
      /^Members +unknown: granted before block 100 \(--from-block searches further\)$/m,
    );
    // An account with a delay for removals has none for cancellations.
    const slow = newSigner();
    const ofAdmin = manager.connect(admin) as Contract;
    await administer(provider, ofAdmin, "grantRole", 1, slow, 5_400);
    expect((await run("list")).stdout)
      .to.include(`May remove   ${slow}, 5400 s after scheduling it\n`)
      .and.include(`May cancel   ${slow}, at once\n`);
    // A shorter delay takes effect after the difference; until then, it is the one that counts.
    await administer(provider, ofAdmin, "grantRole", 1, slow, 60);
    expect((await run("list")).stdout).to.include(`May remove   ${slow}, 60 s after scheduling it\n`);
    const selectors = [registry.interface.getFunction("addSigner")?.selector];
    await administer(provider, ofAdmin, "setTargetFunctionRole", registry.target, selectors, 2n ** 64n - 1n);
    expect((await run("list")).stdout).to.include("\nMay add      anybody, at once\n");
    const revocation = manager.interface.encodeFunctionData("revokeRole", [1, slow]);
    for (const call of [
      [manager.target, revocation],
      [slow, "0x12345678"],
    ] as const) {
      await (await ofAdmin.getFunction("schedule")(...call, 0)).wait();
      // So many that the node does not return both events at once.
      await provider.send("hardhat_mine", ["0x10"]);
    }
    const { operations } = (await json("list")).guard;
    expect(operations.map(({ call }: { call: string }) => call)).to.deep.equal([
      `revokeRole(1, ${slow})`,
      `0x12345678… of ${slow}`,
    ]);
    // Somebody who may make administrators of an administrator of removals is one, too.
    const highest = newSigner();
    await administer(provider, ofAdmin, "setRoleAdmin", 1, 7);
    await administer(provider, ofAdmin, "setRoleAdmin", 7, 9);
    await administer(provider, ofAdmin, "grantRole", 9, highest, 0);
    expect((await run("list")).stdout).to.include(`Administers  ${highest}, at once\n`);
  });

  it("prints the transaction for a Safe that administers, and writes its batch file", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const [deployer, owner, guardian] = await Promise.all([0, 1, 2].map((i) => provider.getSigner(i)));
    if (!deployer || !owner || !guardian) throw new Error("The node has too few accounts.");
    const contracts = await deploySafeContracts(owner);
    const { address: safe, deploy: deploySafe } = await planSafe(contracts, [owner.address], 1);
    await deploySafe();
    const roles = { admin: safe, guardian: guardian.address };
    const { manager, registry } = await deployGuardedRegistry(deployer, roles);
    const { run, json } = await tasksAs(rpcUrl, String(registry.target), [owner.address]);
    const folder = await temporaryFolder();
    const signer = newSigner();

    /** As the Transaction Builder does. */
    async function executeBatch(name: string, from: JsonRpcSigner): Promise<void> {
      const file = join(folder, `${name}.json`);
      const planned = await json("add", "--signer", signer, "--batch", file);
      expect(planned).to.include({ code: 0, sent: false, step: name, from: safe, batch: file });
      const { meta, transactions } = JSON.parse(await readFile(file, "utf8"));
      expect(meta).to.include({ createdFromSafeAddress: safe, name: `${name}(addSigner(${signer}))` });
      const [{ contractMethod, contractInputsValues }] = transactions;
      const abi = new Interface([{ type: "function", outputs: [], ...contractMethod }]);
      const inputs = contractMethod.inputs.map(({ name }: { name: string }) => contractInputsValues[name]);
      expect(abi.encodeFunctionData(contractMethod.name, inputs)).to.equal(planned.transaction.data);
      await executeAsSafe(contracts, safe, from, planned.transaction);
    }
    const printed = (await run("add", "--signer", signer)).stdout;
    expect(printed).to.include(`schedule(addSigner(${signer})), which ${safe} must send on chain 84532`);
    expect(printed).to.include(String(manager.target)).and.include("--batch <file>");
    await executeBatch("schedule", owner);
    await pass(provider, day);
    await executeBatch("execute", owner);
    expect([...(await registry.getFunction("signers")())]).to.deep.equal([signer]);
  });
});

describe("identity signers guard", function () {
  this.timeout(300_000);

  async function fixture() {
    const { rpcUrl, provider } = await serveLocalChain();
    const [owner, admin, guardian, other] = await Promise.all([0, 1, 2, 3].map((i) => provider.getSigner(i)));
    if (!owner || !admin || !guardian || !other) throw new Error("The node has too few accounts.");
    const registry = (await deploy(owner, "SignerRegistry", [owner.address, [newSigner()]])) as Contract;
    const at = String(registry.target);
    const named = ["--admin", admin.address, "--guardians", `${guardian.address}, ${admin.address}`];
    const { run, json } = await tasksAs(rpcUrl, at, [owner.address]);
    const guard = (...more: string[]) => json("guard", ...named, ...more);
    return {
      rpcUrl,
      provider,
      owner,
      admin,
      guardian,
      other,
      registry,
      at,
      named,
      run,
      guard,
    };
  }

  it("guards a registry in five steps, each shown before it is done", async () => {
    const { rpcUrl, provider, owner, admin, guardian, other, registry, at, named, run, guard } =
      await fixture();
    const plan = (deployer: string, administrator: string, at: number, word = "Next") =>
      [
        `deploy an AccessManager${deployer}`,
        `let ${guardian.address}, ${admin.address} remove signers at once, and ${admin.address} add them and administer a day after scheduling it`,
        "transferOwnership to the AccessManager, by the registry's owner",
        "acceptOwnership through the AccessManager",
        `renounceRole: ${administrator} gives up the administration`,
      ].map((text, i) => `${(i < at ? "Done before" : i > at ? "Later" : word).padEnd(13)}  ${text}\n`);
    // The owner sets it up, if the network has their key.
    const ofOwner = [`, which ${owner.address} sets up`, owner.address] as const;
    const both = await tasksAs(rpcUrl, at, [other.address, owner.address]);
    expect((await both.run("guard", ...named, "--dry-run")).stdout).to.equal(
      `Registry       ${at}\nAccessManager  none yet\n${plan(...ofOwner, 0).join("")}`,
    );
    let manager: string[] = [];
    const stages = ["deploy", "roles", "transfer", "accept"];
    for (const [index, step] of stages.entries()) {
      const blocks = await provider.getBlockNumber();
      const tried = await guard(...manager, "--dry-run");
      const left = [...stages, "renounce"].slice(index);
      expect(tried).to.deep.include({ code: 0, step, sent: false, left });
      const { stdout } = await run("guard", ...named, ...manager, "--dry-run");
      expect(stdout).to.include(plan(...ofOwner, index).join(""));
      const goesOn = stdout.includes(`\nTo go on       the same command with ${manager.join(" ")}\n`);
      expect(goesOn, stdout).to.equal(manager.length > 0);
      expect(await provider.getBlockNumber()).to.equal(blocks);
      const done = await guard(...manager);
      expect(done).to.deep.include({ code: 0, step, sent: true, left: left.slice(1) });
      manager = ["--manager", done.manager];
    }
    const [, address = ""] = manager;
    const head = `Registry       ${at}\nAccessManager  ${address}\n`;
    const last = (await run("guard", ...named, ...manager)).stdout.replace(/0x\w{64}\n$/, "HASH");
    expect(last).to.equal(`${head}${plan(...ofOwner, 4, "Done now").join("")}Transaction    HASH`);
    expect(await registry.getFunction("owner")()).to.equal(address);
    expect(await guard()).to.deep.equal({ code: 0, registry: at, manager: address, step: null, left: [] });
    expect((await run("guard", ...named)).stdout).to.equal(
      head + plan("", "the account that set it up", 5).join(""),
    );

    expect((await guard("--manager", other.address)).error.message).to.equal(
      `The registry ${at} already has the AccessManager ${address} as its guard, not ${other.address} (--manager).`,
    );

    const listed = await both.json("list");
    const guardians = [guardian.address, admin.address];
    expect(listed.guard.members).to.deep.equal([
      { account: admin.address, may: "add", delay: day },
      ...["remove", "cancel"].flatMap((may) => guardians.map((account) => ({ account, may, delay: 0 }))),
      { account: admin.address, may: "administer", delay: day },
    ]);
  });

  it("says what is in the way, and sends nothing", async () => {
    const { rpcUrl, provider, owner, admin, guardian, other, registry, at, named, run, guard } =
      await fixture();
    const error = async (...args: string[]) => (await guard(...args)).error.message;
    const manager = await deployAccessManager(owner);
    const ofManager = ["--manager", String(manager.target)];
    // An administrator with a delay cannot set it up.
    await (await manager.getFunction("grantRole")(0, other.address, day)).wait();
    const blocks = await provider.getBlockNumber();
    expect(await error("--manager", other.address)).to.equal(
      `There is no contract at ${other.address} (--manager) on this chain.`,
    );
    expect(await error("--manager", at)).to.equal(
      `The contract ${at} (--manager) is not the AccessManager that this command deploys: its code differs.`,
    );
    for (const [account, what] of [
      [String(manager.target), "AccessManager"],
      [at, "registry"],
    ] as const) {
      const own = await run("guard", "--admin", admin.address, "--guardians", account, ...ofManager);
      expect(own.stderr).to.equal(
        `${account} is the ${what} itself, which cannot use a role (--admin, --guardians).\n`,
      );
    }
    const { json } = await tasksAs(rpcUrl, at, [other.address]);
    const unfit = await json("guard", ...named, ...ofManager);
    expect(unfit.error.message).to.include(
      `(${other.address}) administers the AccessManager ${manager.target}`,
    );
    const alone = await (await tasksAs(rpcUrl, at, [admin.address])).json("guard", ...named);
    expect(alone.error.message).to.equal(
      "The network has no account besides --admin. Configure another one, which sets the AccessManager up and gives up its role at the end.",
    );
    expect((await json("guard", "--admin", admin.address)).error.message).to.equal(
      "--guardians is missing; it must be one or more addresses, separated by commas.",
    );
    const zero = `0x${"0".repeat(40)}`;
    for (const [first, list] of [
      [admin.address, zero],
      [admin.address, `${other.address}, ${zero}`],
      [zero, other.address],
    ] as const) {
      expect((await json("guard", "--admin", first, "--guardians", list)).error.message).to.equal(
        "--admin and --guardians must not be the zero address.",
      );
    }
    expect(await error("--batch", "never.json")).to.equal(
      "--batch is for a step of an owner that is a contract; the next step is deploy.",
    );
    const remote = await serveProxy(rpcUrl);
    remote.behaviour = hideLocalNode;
    const known = ["--admin", newSigner(), "--guardians", `${newSigner()},${guardian.address}`];
    const ofRegistry = ["--registry", at, "--port", announce({ rpcUrl: remote.url })];
    const shared = await runHardhat(["identity", "signers", "guard", ...known, ...ofRegistry]);
    expect(shared.stderr).to.include(`${guardian.address} is a development address: everybody knows its key`);
    expect(await provider.getBlockNumber()).to.equal(blocks);

    await guard(...ofManager);
    // Somebody whom nobody named.
    await (await manager.getFunction("grantRole")(1, other.address, 0)).wait();
    expect(await error(...ofManager)).to.equal(
      `At the AccessManager ${manager.target}, ${other.address} may remove, and neither --admin nor --guardians names it.`,
    );
    for (const role of [0, 1]) await (await manager.getFunction("revokeRole")(role, other.address)).wait();
    await (await registry.getFunction("transferOwnership")(other.address)).wait();
    expect(await error(...ofManager)).to.equal(
      `${other.address} is the pending owner of the registry ${at}. Pass --manager ${other.address} if it is the AccessManager. Otherwise, it must accept first, or the owner must call transferOwnership with the zero address.`,
    );
    await (await registry.getFunction("transferOwnership")(zero)).wait();
    await (await manager.getFunction("setTargetFunctionRole")(at, ["0xf2fde38b"], 1)).wait();
    await (await manager.getFunction("setRoleAdmin")(2, 1)).wait();
    expect((await run("guard", ...named, ...ofManager, "--dry-run")).stdout).to.include(
      `multicall(setTargetFunctionRole(${at}, [0xf2fde38b], 0), setRoleAdmin(2, 0)), which `,
    );
  });

  /** An AccessManager with all the roles that `guard` wants, which its deployer still administers. */
  async function readyFixture() {
    const { rpcUrl, provider, owner, admin, guardian, other, registry, at, named } = await fixture();
    const grants = [
      ["setTargetFunctionRole", at, [registry.interface.getFunction("removeSigner")?.selector], 1],
      ["setTargetFunctionRole", at, [registry.interface.getFunction("addSigner")?.selector], 2],
      ["setRoleGuardian", 2, 1],
      ["grantRole", 1, guardian.address, 0],
      ["grantRole", 1, admin.address, 0],
      ["grantRole", 2, admin.address, day],
      ["grantRole", 0, admin.address, day],
    ];
    async function setUp(manager: Contract): Promise<Contract> {
      const data = grants.map(([name, ...args]) => manager.interface.encodeFunctionData(String(name), args));
      await (await manager.getFunction("multicall")(data)).wait();
      return manager;
    }
    const send = async (contract: Contract, name: string, ...args: unknown[]) => {
      await (await contract.getFunction(name)(...args)).wait();
    };
    const handOver = async (manager: Contract) => {
      await send(registry, "transferOwnership", manager.target);
      const acceptance = registry.interface.encodeFunctionData("acceptOwnership");
      await send(manager, "execute", at, acceptance);
    };
    /** Runs `guard` as the owner, at a node that treats eth_getLogs in its own way. */
    async function guard(manager: Contract, instead?: Behaviour["instead"]) {
      const proxy = await serveProxy(rpcUrl, {
        instead: (call) => (call.method === "eth_accounts" ? { result: [owner.address] } : instead?.(call)),
      });
      const args = ["--manager", String(manager.target), "--registry", at, "--dry-run"];
      const port = announce({ rpcUrl: proxy.url });
      const command = ["identity", "signers", "guard"].concat(named, args, "--port", port);
      const { code, stdout, stderr } = await runHardhat(command);
      return code === 0 ? (/ {2}(\w+\(.*\)), which /.exec(stdout)?.[1] ?? stdout) : stderr.trim();
    }
    return { rpcUrl, provider, owner, admin, other, registry, at, setUp, send, handOver, guard };
  }

  it("hands over to no AccessManager at which a role, a call or a delay has yet to begin", async () => {
    const { rpcUrl, provider, owner, admin, other, registry, at, setUp, send, handOver, guard } =
      await readyFixture();
    const evil = other.address;
    const ofAdmin = (manager: Contract) => manager.connect(admin) as Contract;
    const ready = await setUp(await deployAccessManager(owner));
    expect(await guard(ready)).to.match(/^transferOwnership\(/);

    const late = await setUp(await deployAccessManager(owner));
    await send(late, "setGrantDelay", 0, 40 * day);
    const noDelay = /somebody called setGrantDelay\(0, 3456000\), effective from \d{4}-/;
    expect(await guard(late)).to.match(noDelay);
    await pass(provider, 5 * day);
    expect(await guard(late)).to.match(noDelay);
    await send(late, "grantRole", 0, evil, 0);
    expect(await guard(late)).to.match(
      new RegExp(
        `${evil} may administer, and neither --admin nor --guardians names it\\. This begins at \\d{4}-`,
      ),
    );
    await send(late, "revokeRole", 0, admin.address);
    await send(late, "grantRole", 0, admin.address, day);
    expect(await guard(late)).to.match(
      new RegExp(`${admin.address} gets the role 0 only at \\d{4}-.*, because of a grant delay\\.`),
    );

    // The administrator's own wait is about to end.
    const hasty = await setUp(await deployAccessManager(owner));
    await send(hasty, "grantRole", 0, admin.address, 0);
    const node: Eip1193Connection = {
      request: ({ method, params = [] }) => provider.send(method, params as unknown[]),
    };
    const { members } = await readGuard(node, { manager: String(hasty.target), registry: at });
    const ofAdministrator = members.filter(
      ({ account, may }) => account === admin.address && may !== "cancel",
    );
    expect(ofAdministrator.map(({ may, delay }) => [may, delay])).to.deep.equal([
      ["add", day],
      ["remove", 0],
      ["administer", 0],
    ]);
    expect(await guard(hasty)).to.equal(`multicall(grantRole(0, ${admin.address}, ${day}))`);
    await send(hasty, "grantRole", 0, admin.address, day);
    await send(hasty, "setTargetClosed", at, true);
    expect(await guard(hasty)).to.equal(`multicall(setTargetClosed(${at}, false))`);
    await send(hasty, "setTargetClosed", at, false);
    await send(hasty, "setTargetAdminDelay", at, 4_000_000_000);
    expect(await guard(hasty)).to.include(`somebody called setTargetAdminDelay(${at}, 4000000000), `);

    // A longer wait is its own choice.
    const strict = await setUp(await deployAccessManager(owner));
    await send(strict, "grantRole", 0, admin.address, 2 * day);
    expect(await guard(strict)).to.match(/^transferOwnership\(/);
    await send(strict, "grantRole", 0, admin.address, day);
    expect(await guard(strict)).to.match(/^transferOwnership\(/);
    // A guardian whose delay becomes shorter, but does not end, is given none.
    await send(strict, "grantRole", 1, admin.address, 2 * day);
    await send(strict, "grantRole", 1, admin.address, day);
    expect(await guard(strict)).to.equal(`multicall(grantRole(1, ${admin.address}, 0))`);
    // A guardian's end takes days to come, and a new grant would begin them anew.
    await send(strict, "grantRole", 1, admin.address, 0);
    expect(await guard(strict)).to.match(
      new RegExp(`${admin.address} has the role 1 without a delay only from \\d{4}-`),
    );

    // So would what it does with the AccessManager itself.
    const slow = await setUp(await deployAccessManager(owner));
    await send(slow, "setTargetAdminDelay", slow.target, 4_000_000_000);
    expect(await guard(slow)).to.include(`called setTargetAdminDelay(${slow.target}, 4000000000), `);

    const grant = ready.interface.encodeFunctionData("grantRole", [0, evil, 0]);
    await send(ofAdmin(ready), "schedule", ready.target, grant, 0);
    expect(await guard(ready)).to.include(
      `${admin.address} has scheduled grantRole(0, ${evil}, 0). Cancel it`,
    );
    await send(ready, "cancel", admin.address, ready.target, grant);
    const transfer = registry.interface.encodeFunctionData("transferOwnership", [evil]);
    await send(ofAdmin(ready), "schedule", at, transfer, 0);
    expect(await guard(ready)).to.include(
      `${admin.address} has scheduled transferOwnership(${evil}). Cancel`,
    );
    await send(ready, "cancel", admin.address, at, transfer);
    // That is what the administrator is for.
    const addition = registry.interface.encodeFunctionData("addSigner", [newSigner()]);
    await send(ofAdmin(ready), "schedule", at, addition, 0);
    expect(await guard(ready)).to.match(/^transferOwnership\(/);

    // All that is pending is listed, too, once it is the owner.
    await send(late, "setGrantDelay", 2, 50 * day);
    await send(late, "setTargetAdminDelay", late.target, 6 * day);
    await send(late, "setTargetAdminDelay", at, 7 * day);
    await send(late, "grantRole", 2, at, 0);
    await send(late, "grantRole", 7, newSigner(), 0);
    await send(late, "setRoleAdmin", 2, 7);
    await handOver(late);
    const list = await (await tasksAs(rpcUrl, at, [])).run("list");
    expect(list.stdout)
      .to.match(new RegExp(`\nAdministers  ${evil}, at once, from \\d{4}-`))
      .and.match(new RegExp(`\nAdministers  ${admin.address}, 24 h after scheduling it, from \\d{4}-`))
      .and.match(/\nAdministers {2}0x\w{40}, at once\n(.*\n)*Administers {2}0x\w{40}, at once\n/)
      .and.match(/\nDelay {8}setGrantDelay\(0, 3456000\), effective from \d{4}-/)
      .and.match(/\nDelay {8}setGrantDelay\(2, 4320000\), /)
      .and.include(`\nDelay        setTargetAdminDelay(${late.target}, 518400), `)
      .and.include(`\nDelay        setTargetAdminDelay(${at}, 604800), `)
      .and.include(`\nMay add      ${at}, a contract or delegated account, whose own rules`);
  });

  it("hands over to no AccessManager at which somebody unnamed may cancel changes of its roles", async () => {
    const { owner, other, setUp, send, guard } = await readyFixture();
    const manager = await setUp(await deployAccessManager(owner));
    const selectors = [manager.interface.getFunction("revokeRole")?.selector];
    await send(manager, "setTargetFunctionRole", manager.target, selectors, 7);
    await send(manager, "setRoleGuardian", 7, 8);
    await send(manager, "grantRole", 8, other.address, 0);
    expect(await guard(manager)).to.equal(
      `At the AccessManager ${manager.target}, ${other.address} may cancel, and neither --admin nor --guardians names it.`,
    );
  });

  it("hands over to no AccessManager whose events the node does not return in full", async () => {
    const { rpcUrl, provider, owner, other, registry, at, setUp, send, handOver, guard } =
      await readyFixture();
    const hidden = await setUp(await deployAccessManager(owner));
    await send(hidden, "grantRole", 0, other.address, 0);
    const ready = await setUp(await deployAccessManager(owner));
    const logs =
      (
        answer: (range: {
          fromBlock: string;
          toBlock: string;
        }) => ReturnType<NonNullable<Behaviour["instead"]>>,
      ) =>
      ({ method, params: [range] = [] }: Call) =>
        method === "eth_getLogs" ? answer(Object(range)) : undefined;
    const inFull = /Use a node that answers eth_getLogs for the manager's whole history\.$/;
    expect(
      await guard(
        hidden,
        logs(() => ({ result: [] })),
      ),
    ).to.match(inFull);
    expect(
      await guard(
        hidden,
        logs(() => ({ result: null })),
      ),
    ).to.match(/did not return the events of 0x\w{40} \(eth_getLogs\): it answered null$/);
    // One of the events is missing.
    const all = await provider.send("eth_getLogs", [{ address: ready.target, fromBlock: "0x0" }]);
    const some = all.filter((event: { topics: string[] }) => event.topics[1] !== zeroPadValue("0x02", 32));
    expect(
      await guard(
        ready,
        logs(() => ({ result: some })),
      ),
    ).to.match(
      /The node left out events of the AccessManager 0x\w{40}: 0x\w{40} has the role 2, and there is no event of it\. Use/,
    );

    // It was granted before the blocks that 500 requests reach.
    const last = await provider.getBlockNumber();
    await provider.send("hardhat_mine", ["0x1400"]);
    const inTens = logs(({ fromBlock, toBlock }) => {
      if (Number(toBlock) - Number(fromBlock) >= 10)
        return { error: { code: -32_005, message: "query exceeds max block range 10" } };
      // No block of these has an event, and the node would be asked for them thousands of times.
      const isEmpty = Number(fromBlock) > last && Number(toBlock) <= last + 0x1400;
      return isEmpty ? { result: [] } : undefined;
    });
    expect(await guard(hidden, inTens)).to.match(
      /only back to block \d+, and not that of its deployment: before,/,
    );
    await handOver(hidden);
    const { run, json } = await tasksAs(rpcUrl, at, [owner.address], inTens);
    expect((await json("list")).guard).to.include({ isWhole: false });
    expect((await run("list")).stdout).to.match(
      /\nMembers +unknown: granted before block \d+ \(--from-block searches further\)\n/,
    );
    await send(hidden, "grantRole", 1, other.address, 0);
    expect((await run("list")).stdout).to.match(
      /\nMembers +perhaps more: granted before block \d+ \(--from-block searches further\)\n/,
    );
    expect((await json("remove", "--signer", newSigner())).error.message).to.match(
      /Its addition may be scheduled: the node returned the events of the AccessManager 0x\w{40} only back to block \d+\./,
    );
    expect(await registry.getFunction("owner")()).to.equal(hidden.target);
  });

  it("takes an AccessManager that a factory deployed, and no proxy in front of one", async () => {
    const { provider, owner, registry, at, setUp, send, guard } = await readyFixture();
    // Arachnid's deterministic deployment proxy.
    const code =
      "0x604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";
    const factory = await (await owner.sendTransaction({ data: code })).wait();
    const { abi, bytecode } = readOpenZeppelinArtifact("AccessManager");
    const creation = concat([bytecode, zeroPadValue(owner.address, 32)]);
    const to = String(factory?.contractAddress);
    await (await owner.sendTransaction({ to, data: concat([ZeroHash, creation]) })).wait();
    const address = getCreate2Address(to, ZeroHash, keccak256(creation));
    const manager = await setUp(new Contract(address, abi, owner));
    expect(await guard(manager)).to.match(/^transferOwnership\(/);

    const proxy = `0x${"77".repeat(20)}`;
    const forwards = ["0x363d3d373d3d3d363d73", address, "0x5af43d82803e903d91602b57fd5bf3"];
    await provider.send("hardhat_setCode", [proxy, concat(forwards)]);
    const atProxy = new Contract(proxy, abi, owner);
    const differs = /\(--manager\) is not the AccessManager that this command deploys: its code differs\.$/;
    expect(await guard(atProxy)).to.match(differs);
    // Also if it owns the registry already.
    await send(registry, "transferOwnership", proxy);
    await provider.send("hardhat_impersonateAccount", [proxy]);
    await provider.send("hardhat_setBalance", [proxy, "0xde0b6b3a7640000"]);
    const accept = { from: proxy, to: at, data: registry.interface.encodeFunctionData("acceptOwnership") };
    await provider.send("eth_sendTransaction", [accept]);
    expect(await registry.getFunction("owner")()).to.equal(atProxy.target);
    expect(await guard(atProxy)).to.match(differs);
  });

  it("has a Safe that owns the registry offer it, and another account do the rest", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const [deployer, owner, guardian] = await Promise.all([0, 1, 2].map((i) => provider.getSigner(i)));
    if (!deployer || !owner || !guardian) throw new Error("The node has too few accounts.");
    const contracts = await deploySafeContracts(owner);
    const { address: safe, deploy: deploySafe } = await planSafe(contracts, [owner.address], 1);
    await deploySafe();
    const registry = (await deploy(deployer, "SignerRegistry", [safe, []])) as Contract;
    const { json } = await tasksAs(rpcUrl, String(registry.target), [deployer.address]);
    const named = ["--admin", safe, "--guardians", guardian.address];
    const { manager } = await json("guard", ...named);
    const guard = (...more: string[]) => json("guard", ...named, "--manager", manager, ...more);
    expect(await guard()).to.include({ step: "roles", sent: true });
    const file = join(await temporaryFolder(), "transfer.json");
    const transfer = await guard("--batch", file);
    expect(transfer).to.include({ step: "transfer", sent: false, batch: file });
    const { meta } = JSON.parse(await readFile(file, "utf8"));
    expect(meta).to.include({ createdFromSafeAddress: safe, name: `transferOwnership(${manager})` });
    await executeAsSafe(contracts, safe, owner, transfer.transaction);
    for (const step of ["accept", "renounce"]) expect(await guard()).to.include({ step, sent: true });
    expect(await registry.getFunction("owner")()).to.equal(manager);
    expect(await guard()).to.include({ step: null });
  });
});
