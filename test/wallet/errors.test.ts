import { readFileSync } from "node:fs";
import { expect } from "chai";
import { batchesOf, expectRefusal, walletFixture } from "../fixtures/wallet/wallet.ts";
import { openClient, type WalletClient, walletClients } from "../fixtures/wallet/walletClients.ts";

/** The specification's table "wallet_sendCalls JSON-RPC errors". */
const specified: readonly [code: number, meaning: string][] = [
  [-32602, "Wallet cannot parse the request (invalid format)."],
  [-32000, "Version not supported."],
  [4001, "User rejected the request."],
  [4100, "Account and/or method not authorized by the user."],
  [5700, "Wallet lacks a capability that was not marked optional."],
  [5710, "EIP-7702 not supported on the specified chain id."],
  [5720, "A batch with the given batch id was already submitted."],
  [5740, "Batch too large for the wallet to process."],
  [5750, "EIP-7702 upgrade rejected for this chain and account."],
];

interface Provocation {
  readonly what: string;
  readonly code: number;
  /** The wallet's configuration. */
  readonly configure?: object;
  /** How the request differs from one that is answered. */
  readonly change?: object;
  /** Whether the same request was answered once before. */
  readonly again?: boolean;
  /** The rest of the message after the code's meaning. */
  readonly says: string;
}

const account = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const other = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const call = { to: other, value: "0x1" };
const strange = (address: string) =>
  `The account ${address} is not; the wallet's authorize() takes accounts, also those that are not the node's.`;

const provocations: readonly Provocation[] = [
  {
    what: "a request without calls",
    code: -32602,
    change: { calls: undefined },
    says: "calls must be an array, got nothing.",
  },
  {
    what: "another chain",
    code: -32602,
    change: { chainId: "0x1" },
    says: "chainId is 0x1, but the wallet is connected to 0x14a34.",
  },
  {
    what: "another version",
    code: -32000,
    change: { version: "1.0" },
    says: 'version must be "2.0.0", got "1.0".',
  },
  {
    what: "a user who rejects the next",
    code: 4001,
    configure: { rejectNext: true },
    says: "rejectNext() was called.",
  },
  {
    what: "a user who rejects all",
    code: 4001,
    configure: { approve: false },
    says: "The wallet's setting approve rejects it.",
  },
  {
    what: "an account not authorized",
    code: 4100,
    configure: { accounts: [other] },
    says: strange(account.toLowerCase()),
  },
  {
    what: "an account not the node's",
    code: 4100,
    change: { from: `0x${"12".repeat(20)}` },
    says: strange(`0x${"12".repeat(20)}`),
  },
  {
    what: "a method not authorized",
    code: 4100,
    configure: { methods: ["wallet_getCallsStatus"] },
    says: "The method wallet_sendCalls is not.",
  },
  {
    what: "a required capability",
    code: 5700,
    change: { capabilities: { paymasterService: { url: "https://paymaster.example" } } },
    says: "It lacks capabilities.paymasterService.",
  },
  {
    what: "a required capability of a call",
    code: 5700,
    change: { calls: [call, { ...call, capabilities: { flowControl: { optional: "false" } } }] },
    says: "It lacks calls[1].capabilities.flowControl.",
  },
  {
    what: "a chain without EIP-7702",
    code: 5710,
    configure: { supports7702: false },
    change: { calls: [call, call] },
    says: "It is 0x14a34.",
  },
  { what: "an id that was used", code: 5720, change: { id: "0xab" }, again: true, says: 'It is "0xab".' },
  {
    what: "too many calls",
    code: 5740,
    configure: { maxCalls: 1 },
    change: { calls: [call, call] },
    says: "It has 2 calls; the wallet's setting maxCalls is 1.",
  },
  {
    what: "more than 100 calls",
    code: 5740,
    change: { calls: Array(101).fill(call) },
    says: "It has 101 calls; the wallet's setting maxCalls is 100.",
  },
  {
    what: "a user who rejects the upgrade",
    code: 5750,
    configure: { approveUpgrade: false },
    change: { from: other, calls: [call, call] },
    says: `The account is ${other.toLowerCase()}.`,
  },
];

/** The guide's list of errors. */
function readGuide() {
  const page = readFileSync("docs/errors/wallet.md", "utf8").replaceAll(/(?<=\S)\n(?=\S)/g, " ");
  const rows = page.matchAll(/^## `(-?\d+)`\n\n"([^"]+)"/gm);
  return [...rows].map(([, code, meaning = ""]) => ({ code: Number(code), meaning }));
}

for (const name of Object.keys(walletClients)) {
  describe(`A refusal of wallet_sendCalls, asked ${name}`, () => {
    let client: WalletClient;
    let request: object;
    before(async () => {
      client = await openClient(name);
      request = batchesOf(client.connection, account).complete([call]);
    });

    const ask = (method: string, ...params: unknown[]) => client.connection.request({ method, params });
    const refusal = async (method: string, ...params: unknown[]) => {
      const thrown = await ask(method, ...params).then(
        (result) => expect.fail(`It was answered: ${JSON.stringify(result)}`),
        (reason: unknown) => reason,
      );
      return client.unwrap(thrown);
    };

    for (const { what, code, configure = {}, change = {}, again = false, says } of provocations) {
      it(`has code ${code} and its message for ${what}`, async () => {
        await ask("identity_configureWallet", { reset: true, ...configure });
        const changed = { ...request, ...change };
        if (again) await ask("wallet_sendCalls", changed);
        const error = await refusal("wallet_sendCalls", changed);
        const [, meaning = ""] = specified.find(([known]) => known === code) ?? [];
        expect([error.code, error.message]).to.deep.equal([code, `${meaning} ${says}`]);
      });
    }

    it("does not happen for a valid request", async () => {
      await ask("identity_configureWallet", { reset: true });
      const { batchId } = (await ask("wallet_sendCalls", request)) as { batchId: string };
      expect(await ask("wallet_getCallsStatus", batchId)).to.include({ status: 200, atomic: true });
    });

    for (const method of ["wallet_getCallsStatus", "wallet_showCallsStatus"]) {
      it(`has code 5730 for an id that ${method} does not know`, async () => {
        const error = await refusal(method, "0x5730");
        const message = 'No batch with the given batch id was submitted. It is "0x5730".';
        expect([error.code, error.message]).to.deep.equal([5730, message]);
      });
    }
  });
}

describe("The order in which errors are checked", () => {
  // Each step mends what the one before was refused for; what is wrong later stays wrong.
  it("is the guide's", async () => {
    const { batches, node, wallet, alice } = await walletFixture();
    await batches.send([], { id: "0x1", atomicRequired: false });
    wallet.maxCalls = 1;
    wallet.supports7702 = false;
    wallet.approveUpgrade = false;
    wallet.approve = false;
    wallet.authorize({ accounts: [other], methods: [] });

    const codes: number[] = [];
    let request: object = batches.complete([call, call], {
      version: 1,
      id: "0x1",
      chainId: "1",
      capabilities: { unknown: {} },
    });
    const refused = async (code: number, says = "") => {
      await expectRefusal(node.request({ method: "wallet_sendCalls", params: [request] }), code, says);
      if (!codes.includes(code)) codes.push(code);
    };
    const mend = (change: object) => {
      request = { ...request, ...change };
    };
    await refused(-32602, "version must be a string");
    mend({ version: "1.0" });
    await refused(-32000);
    mend({ version: "2.0.0" });
    await refused(-32602, "chainId must be");
    mend({ chainId: "0x1" });
    await refused(-32602, "connected");
    mend({ chainId: "0x14a34" });
    await refused(4100, "The method");
    wallet.authorize({ accounts: [other] });
    await refused(4100, "The account");
    wallet.authorize({ accounts: [alice.address] });
    await refused(5700);
    mend({ capabilities: { unknown: { optional: true } } });
    await refused(5740);
    wallet.maxCalls = 2;
    await refused(5720);
    mend({ id: "0x2" });
    await refused(5710);
    wallet.supports7702 = true;
    await refused(5750);
    wallet.approveUpgrade = true;
    await refused(4001);
    wallet.approve = true;
    // The id was refused time and again, but never submitted.
    expect(await batches.send([call], { id: "0x2" })).to.include({ status: 200 });

    const ofOtherMethods = [5730, 4902];
    expect([...codes, ...ofOtherMethods]).to.deep.equal(readGuide().map(({ code }) => code));
  });
});
