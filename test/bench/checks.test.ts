import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { TypedDataEncoder, Wallet } from "ethers";
import { type Answer, createAnswerCheck } from "../../bench/checks/answers.ts";
import { measureOutage } from "../../bench/checks/attempts.ts";
import { type Account, createLedger } from "../../bench/checks/ledger.ts";
import type { PreparedRequest } from "../../bench/load/task.ts";
import { identityHash, pseudonym } from "../../protocol/identityHash.ts";
import { deriveKey } from "../../protocol/keys.ts";
import { verificationDomain, verificationTypes } from "../../protocol/verification.ts";

const hex = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;
const signer = Wallet.createRandom();
const secret = hex(32);
const [registry, consumer] = [hex(20), hex(20)];
const chainId = 84532;
const rules = {
  chainId,
  registry,
  signer: signer.address.toLowerCase(),
  secret,
  provider: "microblog",
  lifetime: 300,
};
const bytes = Buffer.from(secret.slice(2), "hex");
const identityOf = (accountId: string) =>
  identityHash({
    ...{ identityKey: deriveKey(bytes, "identity"), chainId, consumer },
    pseudonym: pseudonym({ accountKey: deriveKey(bytes, "account"), provider: "microblog", accountId }),
  });
const check = createAnswerCheck(rules);
const request: PreparedRequest = { body: "", user: hex(20), policyHash: hex(32) };
const account: Account = { id: "1284917", isEnough: true };
const poor: Account = { id: "1284917", isEnough: false };

/** What a service answers that issues a verification, but for what is wrong with it on purpose. */
function issue(wrong: Partial<{ user: string; id: string; lasts: number; by: typeof signer }> = {}): Answer {
  const { user = request.user, id = "1284917", lasts = 300, by = signer } = wrong;
  const signed = {
    user,
    identityHash: identityOf(id),
    policyHash: request.policyHash,
    expiration: Math.floor(Date.now() / 1_000) + lasts,
  };
  const digest = TypedDataEncoder.hash(verificationDomain({ chainId, registry }), verificationTypes, signed);
  const signature = by.signingKey.sign(digest).serialized;
  return { status: 200, retryAfter: undefined, body: JSON.stringify({ ...signed, signature }) };
}

const refuse = (status: number, code: string, retryAfter?: string): Answer => ({
  status,
  retryAfter,
  body: JSON.stringify({ code }),
});

const kindOf = (accounts: readonly Account[], answer: Answer) =>
  check({ request, consumer, accounts }, answer).kind;

describe("The check of what a service answers while its parts fail", () => {
  it("accepts an answer that was right at some moment while it was asked for, and 503 with Retry-After", () => {
    expect(kindOf([account], issue())).to.equal("issued");
    expect(kindOf([undefined, account], issue())).to.equal("issued");
    expect(kindOf([undefined], refuse(404, "verification_not_found"))).to.equal("refused");
    expect(kindOf([poor], refuse(400, "conditions_not_satisfied"))).to.equal("refused");
    expect(kindOf([account], refuse(503, "store_unavailable", "2"))).to.equal("away");
  });

  const wrong: Record<string, [accounts: readonly Account[], answer: Answer]> = {
    "a verification for who has no account": [[undefined], issue()],
    "one for who has too little": [[poor], issue()],
    "one of an account that the wallet had before": [[{ id: "another", isEnough: true }], issue()],
    "one that somebody else signed": [[account], issue({ by: Wallet.createRandom() })],
    "one for another wallet": [[account], issue({ user: hex(20) })],
    "one that expires too late": [[account], issue({ lasts: 3_600 })],
    "one that has expired": [[account], issue({ lasts: -1 })],
    "a refusal of who has an account": [[account], refuse(404, "verification_not_found")],
    "a refusal for another reason": [[undefined], refuse(400, "invalid_argument")],
    "503 without Retry-After": [[account], refuse(503, "store_unavailable")],
    "another error": [[account], refuse(500, "internal", "2")],
    "no answer": [[account], { status: 0, retryAfter: undefined, body: "The connection was closed." }],
  };
  for (const [name, [accounts, answer]] of Object.entries(wrong)) {
    it(`calls wrong ${name}`, () => expect(kindOf(accounts, answer)).to.equal("wrong"));
  }
});

describe("What is known of a wallet while it is written about", () => {
  it("expects of a wallet what was acknowledged last, and all that was begun since", () => {
    const ledger = createLedger();
    expect(ledger.since("w", ledger.settled("w"))).to.deep.equal([undefined]);
    const acknowledge = ledger.begin("w", account);
    const asked = ledger.settled("w");
    expect(ledger.since("w", asked)).to.deep.equal([undefined, account]);
    acknowledge();
    expect(ledger.since("w", asked), "it was asked before").to.deep.equal([undefined, account]);
    expect(ledger.since("w", ledger.settled("w"))).to.deep.equal([account]);
    ledger.begin("w", undefined);
    expect(ledger.since("w", ledger.settled("w")), "nobody knows").to.deep.equal([account, undefined]);
    expect(ledger.counts()).to.deep.equal({ acknowledged: 1, open: 1 });
  });
});

describe("How long something was away", () => {
  const tried = (sent: number, done: number, isGood: boolean) => ({
    sent,
    done,
    result: { kind: isGood ? ("issued" as const) : ("away" as const) },
  });
  const refused = (sent: number, done: number) => ({ sent, done, result: { kind: "refused" as const } });

  it("ends an outage with what was begun after the last that failed", () => {
    const tries = [tried(0, 5, true), tried(8, 12, false), tried(9, 14, true), tried(15, 30, false)];
    expect(measureOutage(tries, 10)).to.equal(undefined);
    expect(measureOutage([...tries, tried(16, 25, true), tried(17, 22, true)], 10)).to.equal(12);
    expect(measureOutage([tried(0, 5, false), tried(11, 12, true)], 10)).to.equal(0);
  });

  it("neither ends nor begins an outage with a refusal, which needs no write", () => {
    const tries = [tried(8, 12, false), refused(13, 14)];
    expect(measureOutage(tries, 10)).to.equal(undefined);
    expect(measureOutage([...tries, tried(15, 18, true)], 10)).to.equal(8);
    expect(measureOutage([refused(11, 12), tried(11, 12, true)], 10)).to.equal(0);
  });
});
