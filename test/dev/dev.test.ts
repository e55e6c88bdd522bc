import { execFileSync } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect as connectTo, createServer, type Server } from "node:net";
import { join, relative } from "node:path";
import { mock } from "node:test";
import { buildModule } from "@nomicfoundation/ignition-core";
import { expect } from "chai";
import { getAddress, HDNodeWallet, id, JsonRpcProvider } from "ethers";
import { network } from "hardhat";
import { readArtifact } from "../../ignition/artifacts.ts";
import { readDiscovery } from "../../packages/client/index.ts";
import { fingerprint } from "../../packages/dev/internal/fingerprint.ts";
import { listConsumers } from "../../packages/dev/internal/listConsumers.ts";
import {
  operatorSettings,
  toShellWord,
  writeOperatorSettings,
} from "../../packages/dev/internal/operatorSettings.ts";
import { findModules } from "../../packages/dev/internal/projectModules.ts";
import type { Stack } from "../../packages/dev/internal/start.ts";
import { chooseConsumer, suggestCommands } from "../../packages/dev/internal/suggest.ts";
import { development } from "../../packages/protocol/development.ts";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { readKnownContracts } from "../../tasks/internal/consumer/knownContracts.ts";
import { requestAndSubmit } from "../../tasks/internal/consumer/request.ts";
import { chooseDemoPort, requireFreePort } from "../../tasks/internal/stack/ports.ts";
import { findStack, listStacks } from "../../tasks/internal/stack/running.ts";
import { deployConsumers } from "../fixtures/chain/consumer.ts";
import { compiledProxies, deployProxy, kindsOfProxies } from "../fixtures/chain/proxyContracts.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { setEnvironment } from "../fixtures/environment.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { rejection } from "../fixtures/rejection.ts";
import { Visitor } from "../fixtures/signer/visitor.ts";
import { startDevStack } from "../fixtures/tasks/devStack.ts";
import { runIdentitySigner } from "../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const phrase = "test test test test test test test test test test test junk";
const account = (index: number) => HDNodeWallet.fromPhrase(phrase, "", `m/44'/60'/0'/0/${index}`).address;

/** Where Node tells of each server that begins to listen. */
const listening = "tracing:net.server.listen:asyncEnd";

/** The node of a stack. */
function connect({ rpcUrl }: Pick<Stack, "rpcUrl">): Eip1193Connection {
  const provider = new JsonRpcProvider(rpcUrl, 84532, {
    staticNetwork: true,
    cacheTimeout: -1,
    batchMaxCount: 1,
  });
  onCleanup(() => provider.destroy());
  return { request: ({ method, params = [] }) => provider.send(method, [...(params as unknown[])]) };
}

/** Stores a credential of more than 1000 followers, as the task does. */
async function setCredential({ databaseUrl }: Pick<Stack, "databaseUrl">, wallet: string) {
  const store = await openCredentialStore({ databaseUrl, masterSecret: development.masterSecret });
  await store.set({
    wallet,
    provider: "microblog",
    accountId: "1001",
    traits: { followers: "1200" },
    authenticatedAt: Math.floor(Date.now() / 1000),
  });
  await store.close();
}

/** Somebody else's server on a port of this machine: any, or one that a test wants. */
async function occupy(wanted = 0): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) =>
    server.once("error", reject).listen(wanted, "127.0.0.1", resolve),
  );
  onCleanup(() => server.close());
  return (server.address() as AddressInfo).port;
}

describe("The stack of identity dev", () => {
  describe("when it runs", () => {
    let stack: Stack;
    const steps: string[] = [];
    const listened: AddressInfo[] = [];

    before(async () => {
      const listen = (event: unknown) => {
        const { server } = event as { server: Server };
        listened.push(server.address() as AddressInfo);
      };
      subscribe(listening, listen);
      stack = await startDevStack({
        demoPort: await findFreePort(),
        onStep: (step) => steps.push(step),
      });
      unsubscribe(listening, listen);
    });

    it("listens on 127.0.0.1 alone", () => {
      const urls = [stack.rpcUrl, stack.signerUrl, stack.demoUrl, stack.verifyUrl];
      expect(listened.map(({ port }) => port)).to.include.members(
        urls.map((url) => Number(new URL(url).port)),
      );
      // Chain, sandbox, service and demo; and those by which ports were tried.
      expect(listened.length).to.be.at.least(4);
      expect(new Set(listened.map(({ address }) => address))).to.deep.equal(new Set(["127.0.0.1"]));
    });

    it("prints what it starts, and the tasks of the same user find it", async () => {
      const [compiles, ...others] = steps;
      expect(compiles).to.equal("Compiling the contracts");
      expect(others).to.deep.equal([
        "Starting the chain",
        "Deploying the registry and the example consumers",
        "Starting the signer service, its verify page and the demo",
      ]);
      const { accounts, verifyUrl, demoUrl, sandboxUrl: _, close: __, ...announced } = stack;
      expect(await findStack(stack.port)).to.deep.equal({ ...announced, own: [] });
      expect(announced).to.include({ chainId: 84532, signer: development.signer, pid: process.pid });
      expect(accounts.slice(0, 3)).to.deep.equal([account(0), account(1), account(2)]);
      // A task in a project that compiled none of them recognizes each.
      const none = { getAllFullyQualifiedNames: async () => new Set() };
      const known = await readKnownContracts({ artifacts: none } as never);
      expect(stack.consumers).to.have.all.keys(known.map(({ contractName }) => contractName));
    });

    it("serves a verify page with every provider, a demo, and a service that is ready", async () => {
      for (const url of [stack.verifyUrl, stack.demoUrl, `${stack.signerUrl}/readyz`]) {
        expect((await fetch(url)).status, url).to.equal(200);
      }
      const { providers } = await readDiscovery({ baseUrl: stack.signerUrl });
      expect(providers).to.have.all.keys("microblog", "exchange", "photo_social", "short_video");
      const [, file = ""] = stack.databaseUrl.split("file:");
      renameSync(file, `${file}.away`);
      mkdirSync(file);
      const { mock: silenced } = mock.method(console, "error", () => undefined);
      expect((await fetch(`${stack.demoUrl}/config.json`)).status, "without its store").to.equal(500);
      silenced.restore();
      rmdirSync(file);
      renameSync(`${file}.away`, file);
      const config = await (await fetch(`${stack.demoUrl}/config.json`)).json();
      expect(config).to.deep.include({ consumers: stack.consumers, registry: stack.registry });
    });

    it("calls the demo by a name on the verify page, not by its address", async () => {
      const { body } = await new Visitor(stack.signerUrl).overview(`redirect_uri=${stack.demoUrl}/`);
      expect(body.returnTo).to.include({ kind: "trusted", name: "hardhat-identity demo" });
    });

    it("seeds nothing, and lets a person who has a credential enrol", async () => {
      const store = await openCredentialStore({
        databaseUrl: stack.databaseUrl,
        masterSecret: development.masterSecret,
      });
      expect(await store.has(account(1), "microblog")).to.equal(false);
      await store.close();
      await setCredential(stack, account(1));
      const consumer = stack.consumers.IncentiveProgram ?? "";
      const outcome = await requestAndSubmit(connect(stack), {
        consumer,
        wallet: account(1),
        baseUrl: stack.signerUrl,
        readContracts: async () => [],
        submission: { entryPoint: "enroll", args: {}, value: 0n },
      });
      expect(outcome).to.have.nested.property("receipt.status", "0x1");
    });

    it("trusts its own signer alone, and limits nobody's requests", async () => {
      const node = connect(stack);
      const logs = await node.request({
        method: "eth_getLogs",
        params: [{ address: stack.registry, topics: [id("SignerAdded(address)")], fromBlock: "0x0" }],
      });
      expect(
        (logs as { topics: string[] }[]).map(({ topics }) => getAddress(`0x${topics[1]?.slice(26)}`)),
      ).to.deep.equal([development.signer]);
      await setCredential(stack, account(2));
      const consumer = stack.consumers.IncentiveProgram ?? "";
      const asked = { consumer, wallet: account(2), baseUrl: stack.signerUrl, readContracts: async () => [] };
      // A service's default is thirty a minute.
      for (let count = 0; count <= 30; count++) {
        expect(await requestAndSubmit(node, asked)).to.have.property("verification");
      }
    });

    for (const [option, choice] of [
      ["--port", "port"],
      ["--rpc-port", "rpcPort"],
    ] as const) {
      it(`says that it uses the port itself if ${option} names one of its own`, async () => {
        const url = choice === "port" ? stack.signerUrl : stack.rpcUrl;
        const port = Number(new URL(url).port);
        expect((await rejection(startDevStack({ [choice]: port }))).message).to.equal(
          `Port ${port} cannot be used: an \`identity dev\` already uses it (process ${process.pid}, ${stack.signerUrl}). ` +
            "Stop it, or run a second one beside it with --rpc-port 0 --port 0.",
        );
        expect(await listStacks()).to.have.length(1);
      });
    }
  });

  for (const [option, choice] of [
    ["--port", "port"],
    ["--rpc-port", "rpcPort"],
    ["--demo-port", "demoPort"],
  ] as const) {
    it(`does not start if another program has the port of ${option}`, async () => {
      const port = await occupy();
      const steps: string[] = [];
      const refused = startDevStack({ [choice]: port, onStep: (step) => steps.push(step) });
      expect((await rejection(refused)).message).to.equal(
        `Port ${port} cannot be used: another program uses it. Stop it, or choose another with ${option} (0 for any).`,
      );
      expect(steps).to.deep.equal([]);
    });
  }

  it("says so if another program takes the chain's port while the contracts compile", async () => {
    const rpcPort = await findFreePort();
    const refused = startDevStack({
      rpcPort,
      onStep: (step) => step.startsWith("Compiling") && occupy(rpcPort),
    });
    expect((await rejection(refused)).message).to.equal(
      `Port ${rpcPort} cannot be used: another program uses it. Stop it, or choose another with --rpc-port (0 for any).`,
    );
  });

  it("prints settings with which identity-signer works on its store and chain, whatever the store's file is called", async () => {
    const store = join(await temporaryFolder(), "it's kept.sqlite");
    const stack = await startDevStack({ store });
    await setCredential(stack, account(1));
    // The folder for temporary files may have any name.
    const settingsFile = join(await temporaryFolder(), "it's here.sh");
    copyFileSync(writeOperatorSettings(stack), settingsFile);
    const command = `. ${toShellWord(settingsFile)}; env`;
    const shown = execFileSync("sh", ["-c", command], { encoding: "utf8" });
    const settings = Object.fromEntries(
      shown.split("\n").flatMap((line) => (line.startsWith("IDENTITY_") ? [line.split(/=(.*)/)] : [])),
    );
    expect(settings).to.deep.equal(operatorSettings(stack));
    const listed = await runIdentitySigner(["credential", "list", "--json"], settings);
    expect(listed.code, listed.output).to.equal(0);
    expect(JSON.parse(listed.stdout)).to.have.length(1);
    const position = ["--position-file", join(await temporaryFolder(), "position")];
    const watched = await runIdentitySigner(["watch", "--once", "--json", ...position], settings);
    expect(JSON.parse(watched.stdout), watched.output).to.deep.include({ forged: [], strangers: [] });
  });

  it("signs people in as an operator's corrections of a provider say, at the page and in the sandbox", async () => {
    const module = join(await temporaryFolder(), "connectors.mjs");
    const corrections = {
      authorizationEndpoint: "https://login.gateway.example/corrected",
      accountId: ["user", "data", "uid"],
      calls: { user: "https://api.gateway.example/v9/user" },
    };
    writeFileSync(module, `export default ${JSON.stringify({ microblog: corrections })};`);
    setEnvironment({ IDENTITY_CONNECTORS: module });
    const stack = await startDevStack();
    const visitor = new Visitor(stack.signerUrl);
    await visitor.signIn();
    const { body } = await visitor.act("prove", { provider: "microblog", query: "" });
    expect(new URL(body.location)).to.include({ hostname: "127.0.0.1", pathname: "/microblog/corrected" });
    await visitor.prove("microblog", { action: "pick", pick: "1001" });
    expect((await visitor.overview()).body.proof).to.include({ provider: "microblog" });
  });

  it("leaves nothing running after it is closed, is found no more, and keeps the credentials of --store", async () => {
    const store = join(await temporaryFolder(), "kept.sqlite");
    const servers: Server[] = [];
    const listen = (event: unknown) => void servers.push((event as { server: Server }).server);
    subscribe(listening, listen);
    const first = await startDevStack({ store: relative(process.cwd(), store) });
    unsubscribe(listening, listen);
    // Also for a task in another folder.
    expect(first.databaseUrl).to.equal(`file:${store}`);
    await setCredential(first, account(1));
    // A browser that has not ended its request.
    const browser = connectTo(Number(new URL(first.demoUrl).port), "127.0.0.1");
    browser.on("error", () => undefined);
    onCleanup(() => browser.destroy());
    await new Promise((written) => browser.write("GET / HTTP/1.1\r\n", written));
    const running = servers.filter((server) => server.listening);
    const closed: Server[] = [];
    for (const server of running) server.once("close", () => closed.push(server));
    await first.close();
    // A server is closed after those that need it.
    expect(closed.map((server) => running.indexOf(server))).to.deep.equal([3, 2, 1, 0]);
    for (const url of [first.rpcUrl, first.signerUrl, first.demoUrl]) {
      expect(await fetch(url).then(String, () => "closed"), url).to.equal("closed");
    }
    expect((await rejection(findStack(first.port))).message).to.equal(
      `No \`identity dev\` runs on --port ${first.port}.`,
    );
    expect(existsSync(store)).to.equal(true);
    const kept = await openCredentialStore({ ...first, masterSecret: development.masterSecret });
    onCleanup(() => kept.close());
    expect(await kept.has(account(1), "microblog")).to.equal(true);
  });

  it("closes everything it has started if a later part fails", async () => {
    const listened: Server[] = [];
    const listen = (event: unknown) => void listened.push((event as { server: Server }).server);
    subscribe(listening, listen);
    onCleanup(() => unsubscribe(listening, listen));
    const store = join(await temporaryFolder(), "none.sqlite");
    writeFileSync(
      store,
      "This is no database, and longer than the header of one would be, which is checked first.",
    );
    await rejection(startDevStack({ store }));
    expect(listened.length).to.be.at.least(2);
    expect(listened.filter(({ listening }) => listening)).to.deep.equal([]);
  });

  it("has pending run ahead of latest with a block time, at which it mines by itself", async () => {
    const stack = await startDevStack({ blockTime: 1 });
    const node = connect(stack);
    const readNumber = async () => Number(await node.request({ method: "eth_blockNumber" }));
    const nextBlock = async () => {
      const before = await readNumber();
      while ((await readNumber()) === before);
      return performance.now();
    };
    const [one, two] = [await nextBlock(), await nextBlock()];
    expect(two - one).to.be.within(500, 3_000);

    const consumer = stack.consumers.IncentiveProgram ?? "";
    await setCredential(stack, account(1));
    await node.request({ method: "evm_setIntervalMining", params: [0] });
    const asked = { consumer, wallet: account(1), baseUrl: stack.signerUrl, readContracts: async () => [] };
    const before = await readNumber();
    const outcome = requestAndSubmit(node, {
      ...asked,
      submission: { entryPoint: "enroll", args: {}, value: 0n },
    });
    const transactions = async () =>
      Number(await node.request({ method: "eth_getBlockTransactionCountByNumber", params: ["pending"] }));
    while ((await transactions()) === 0);
    expect(await readNumber()).to.equal(before);
    await node.request({ method: "evm_mine" });
    expect(await outcome).to.have.nested.property("receipt.status", "0x1");
    expect(await readNumber()).to.equal(before + 1);
  });

  it("makes a chain like Base's with a block time below a second, on which people still claim once", async () => {
    const stack = await startDevStack({ blockTime: 0.2 });
    const node = connect(stack);
    const ask = (method: string, ...params: unknown[]) => node.request({ method, params });
    const first = Number(await ask("eth_blockNumber"));
    while (Number(await ask("eth_blockNumber")) < first + 12);
    const times = [];
    for (let number = first + 1; number <= first + 12; number++) {
      const block = await ask("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
      times.push(Number(Object(block).timestamp));
    }
    expect(new Set(times).size, `${times}`).to.be.below(12);

    const consumer = stack.consumers.IncentiveProgram ?? "";
    const people = [account(1), account(2)];
    for (const wallet of people) await setCredential(stack, wallet);
    const outcomes = [];
    for (const wallet of people) {
      const asked = { consumer, wallet, baseUrl: stack.signerUrl, readContracts: async () => [] };
      const submission = { entryPoint: "enroll", args: {}, value: 0n };
      outcomes.push(await requestAndSubmit(node, { ...asked, submission }));
    }
    expect(outcomes[0]).to.have.nested.property("receipt.status", "0x1");
    // The second wallet of the same person.
    expect(outcomes[1]).to.have.nested.property("revert.text", "AlreadyEnrolled()");
  });
});

describe("The port of the demo", () => {
  it("is the service's port plus a thousand if that is free, or else any free port", async () => {
    const taken = await occupy();
    expect(await chooseDemoPort(taken - 1000)).to.equal(0);
    expect(await chooseDemoPort(0)).to.equal(0);
    expect(await chooseDemoPort(64_536)).to.equal(0);
    const free = await new Promise<number>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo;
        server.close(() => resolve(port));
      });
    });
    expect(await chooseDemoPort(free - 1000)).to.equal(free);
  });

  it("is none that browsers refuse, as no port of the stack may be", async () => {
    for (const port of [1719, 2049, 5060, 6000, 6667, 10_080]) {
      const { cause } = await rejection(fetch(`http://127.0.0.1:${port}`));
      expect(String(cause), `${port}`).to.include("bad port");
      expect(await chooseDemoPort(port - 1000)).to.equal(0);
      expect((await rejection(requireFreePort("--port", port))).message).to.equal(
        `Port ${port} cannot be used: browsers refuse it. Choose another with --port (0 for any).`,
      );
    }
  });
});

describe("The suggestion of identity dev", () => {
  it("is three commands for two wallets of one person, with --port if it is not the default", () => {
    const example = chooseConsumer({ consumers: { Airdrop: account(5) } });
    const commands = (port: number, execute = "npx") => suggestCommands({ port }, example, execute);
    expect(commands(3000)).to.deep.equal([
      `npx hardhat identity credential set --wallet 1,2 --provider microblog --account-id 1001 --traits '{"followers":1200}'`,
      "npx hardhat identity request --consumer Airdrop --account 1 --submit claim",
      "npx hardhat identity request --consumer Airdrop --account 2 --submit claim",
    ]);
    for (const command of commands(3001)) expect(command).to.match(/ --port 3001$/);
    for (const command of commands(3000, "pnpm")) expect(command).to.match(/^pnpm hardhat identity /);
  });

  it("names the project's own consumer that takes a verification alone, if there is one", () => {
    const consumers = { Airdrop: account(5) };
    const own = ["Ballot", "MembershipPass"].map((name) => {
      const { abi } = readArtifact(`examples/${name}`);
      return { name, address: account(5), abi };
    });
    const [, claim = ""] = suggestCommands({ port: 3000 }, chooseConsumer({ own, consumers }), "npx");
    expect(claim).to.equal(
      "npx hardhat identity request --consumer MembershipPass --account 1 --submit mint",
    );
    expect(chooseConsumer({ own: own.slice(0, 1), consumers })).to.deep.equal({
      name: "Airdrop",
      entryPoint: "claim",
      isOwn: false,
    });
  });

  it("names another example if the project's Airdrop, which is not deployed, has taken that one's name", () => {
    expect(chooseConsumer({ consumers: { IncentiveProgram: account(5) } })).to.deep.equal({
      name: "IncentiveProgram",
      entryPoint: "enroll",
      isOwn: false,
    });
  });
});

describe("The consumers of a module", () => {
  const { abi } = readArtifact("examples/Ballot");
  const ballot = (id: string, address: string) => ({
    id: `Poll#${id}`,
    contractName: "Ballot",
    address,
    abi,
  });

  for (const kind of kindsOfProxies) {
    it(`are ${kind} by the name of its implementation, which is none itself`, async () => {
      const { provider: node } = await network.create("identityLocal");
      const [one = "", other = ""] = (await deployConsumers(node, "Ballot", "Ballot")).consumers;
      const address = await deployProxy(node, kind, one);
      const proxy = { id: "Poll#Proxy", contractName: "Proxy", address, abi: compiledProxies[0]?.abi ?? [] };
      const list = (...contracts: Parameters<typeof listConsumers>[1]) => listConsumers(node, contracts);
      const listed = [{ name: "Ballot", address, abi }];
      expect(await list(ballot("Ballot", one), proxy)).to.deep.equal(listed);
      expect(await list(ballot("Ballot", one), proxy, ballot("Proxied", address))).to.deep.equal(listed);
      const both = await list(proxy, ballot("Proxied", address), ballot("Other", other), ballot("One", one));
      expect(both.map(({ name, address }) => [name, address])).to.deep.equal([
        ["Poll#Proxied", address],
        ["Poll#Other", other],
      ]);
    });
  }

  it("are no implementation that an upgrade has left behind", async () => {
    const { provider: node } = await network.create("identityLocal");
    const [address = ""] = (await deployConsumers(node, "Ballot")).consumers;
    const uups = { type: "function", name: "proxiableUUID" };
    const left = { ...ballot("Ballot", address), abi: [...abi, uups] };
    expect(await listConsumers(node, [left])).to.deep.equal([]);
  });
});

describe("A deployment by --deploy", () => {
  it("differs by its module, its parameters, and its contracts' interface and code, but not by a comment", async () => {
    const compiled = { abi: [] as object[], bytecode: "0x00" };
    const named = (contract: string) => buildModule("Drop", (m) => ({ drop: m.contract(contract) }));
    const read = (change: object = {}, module = named("Drop"), parameters = {}) =>
      fingerprint([{ ignitionModule: module, parameters }], {
        loadArtifact: async () => ({ ...compiled, ...change }) as never,
      });
    // Its own hash, and that of a contract that it creates.
    const sources = (of: string) => ({ bytecode: `0x${`0064697066735822${of.repeat(68)}`.repeat(2)}00` });
    expect(await read(sources("1"))).to.equal(await read(sources("2")));
    const different = [
      await read(),
      await read({ bytecode: "0x01" }),
      await read({ abi: [{ type: "fallback" }] }),
      await read({}, named("Other")),
      await read({}, named("Drop"), { Drop: { amount: 1n } }),
      await read({}, named("Drop"), { Drop: { amount: 2n } }),
    ];
    expect(new Set(different)).to.have.lengthOf(different.length);
  });
});

describe("The modules that --deploy names", () => {
  async function fixture() {
    const folder = await temporaryFolder();
    mkdirSync(join(folder, "modules/old"), { recursive: true });
    for (const file of ["Drop.ts", "Vote.js", "Pass.mjs", "Raffle.json", "Raffle.sol", "old/Drop.mts"]) {
      writeFileSync(join(folder, "modules", file), "");
    }
    return { folder, find: (names: string) => findModules(names, folder) };
  }

  it("are found by name, with or without ending, or by path, several at once", async () => {
    const { folder, find } = await fixture();
    const below = (file: string) => join(folder, "modules", file);
    expect(find("Drop")).to.deep.equal([below("Drop.ts")]);
    expect(find("Vote.js, old/Drop ,Pass")).to.deep.equal(["Vote.js", "old/Drop.mts", "Pass.mjs"].map(below));
    expect(find(relative(process.cwd(), below("Drop.ts")))).to.deep.equal([below("Drop.ts")]);
  });

  it("are refused by name if there is no such file", async () => {
    const { folder, find } = await fixture();
    const place = relative(process.cwd(), join(folder, "modules"));
    const contract = relative(process.cwd(), join(folder, "modules/Raffle.sol"));
    for (const [names, missing] of [
      ["Drop, Lottery", "Lottery"],
      ["Raffle", "Raffle"],
      ["Raffle.json", "Raffle.json"],
      [contract, contract],
      ["old", "old"],
      ["", ""],
      [folder, folder],
    ] as const) {
      expect(() => find(names), names).to.throw(
        `--deploy names ${JSON.stringify(missing)}, which is no Ignition module (.ts, .js, .mts or .mjs). ${place} has Drop, Pass, Vote, old/Drop.`,
      );
    }
    expect(() => findModules("Drop", join(folder, "none"))).to.throw(/ has none\.$/);
  });
});
