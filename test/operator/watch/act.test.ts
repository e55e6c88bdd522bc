import { expect } from "chai";
import { openActing } from "../../../packages/operator/watch/act.ts";
import type { Brake } from "../../../packages/operator/watch/brake.ts";
import {
  type Finding,
  keepFindings,
  unattributed,
} from "../../../packages/operator/watch/judging/findings.ts";
import { createWatchMetrics } from "../../../packages/operator/watch/telling/metrics.ts";
import { openTeller } from "../../../packages/operator/watch/telling/teller.ts";
import type { WatchEvent } from "../../../packages/operator/watch/telling/watchEvent.ts";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { KeyUnavailableError } from "../../../signer/keys.ts";
import { passTime } from "../../fixtures/passTime.ts";

const forged: Finding = {
  kind: "forged",
  consumer: "a consumer",
  round: `0x${"0".repeat(64)}`,
  identityHash: `0x${"1".repeat(64)}`,
  transactionHash: `0x${"2".repeat(64)}`,
  block: 7,
  signer: "a signer",
  foundAt: 0,
  isTold: false,
  isBraked: false,
};

describe("A forged claim", () => {
  it("counts as taken by the webhook although a reorganization moves it to another block meanwhile", async () => {
    const { all, note } = keepFindings([], () => expect.fail("Nothing was undone."), new Set());
    const taken: (() => void)[] = [];
    const teller = openTeller({
      tell: () => undefined,
      onProgress: () => undefined,
      webhook: undefined,
      consumers: new Set(),
      metrics: createWatchMetrics(),
    });
    const tell: typeof teller.tell = (_event, onTaken) => void taken.push(onTaken as () => void);
    const act = openActing({
      all,
      readAllowlist: async () => [],
      openBrake: undefined,
      consumers: new Set(),
      others: new Set(),
      teller: { ...teller, tell },
      metrics: createWatchMetrics(),
    });
    note(forged);
    await act();
    note({ ...forged, block: 8 });
    for (const take of taken) take();
    expect(all().map(({ block, isTold, isPosting }) => [block, isTold, isPosting])).to.deep.equal([
      [8, true, false],
    ]);
  });
});

describe("The brake of a watch", () => {
  it("tells a forged claim first, and says that it cannot brake while the guardian's key is away", async () => {
    const events: WatchEvent[] = [];
    const metrics = createWatchMetrics();
    const tell = (event: WatchEvent) => events.push(event);
    const teller = openTeller({
      tell,
      onProgress: () => undefined,
      webhook: undefined,
      metrics,
      consumers: new Set(),
    });
    const removed: string[] = [];
    let [isAway, opened] = [true, 0];
    const all = [{ ...forged }];
    const act = openActing({
      all: () => all,
      readAllowlist: async () => ["a signer"],
      async openBrake() {
        opened++;
        if (isAway) {
          passTime(5_000);
          throw new KeyUnavailableError("The key of a guardian does not sign: no answer in 5 s");
        }
        return {
          guardian: "the guardian",
          check: async () => undefined,
          async remove(signers) {
            removed.push(...signers);
            return ["a transaction"];
          },
        };
      },
      consumers: new Set(),
      others: new Set(),
      teller,
      metrics,
    });
    await act();
    expect(events.map(({ event }) => event)).to.deep.equal(["forged", "cannot-brake"]);
    expect(Object(events[1]).problem).to.include("IDENTITY_GUARDIAN_KEY").and.include("no answer in 5 s");
    passTime(4_000);
    await act();
    expect(opened, "while it rests for as long as it took").to.equal(1);
    isAway = false;
    passTime(10_000);
    await act();
    expect([removed, events.at(-1)?.event]).to.deep.equal([["a signer"], "brake-sent"]);
  });

  it("counts a claim without a signature as proven only at a consumer that the operator named", async () => {
    const metrics = createWatchMetrics();
    const found = ["named", "stranger"].map((consumer) => ({ ...forged, consumer, signer: unattributed }));
    const unproven = { ...forged, kind: "unproven", signer: unattributed } as const;
    const { transactionHash, block, foundAt, isTold, isBraked } = forged;
    const known = { signer: "a signer", transactionHash, block, foundAt, isTold, isBraked };
    const strangers = [1, 2, 3].map(() => ({ ...known, kind: "stranger" }) as const);
    metrics.count([...found, forged, unproven, ...strangers], new Set(["named"]));
    const text = await metrics.registry.metrics();
    expect(text)
      .to.match(/^identity_watch_forged_claims 2$/m)
      .and.match(/^identity_watch_unattributed_claims 1$/m)
      .and.match(/^identity_watch_unproven_claims 1$/m)
      .and.match(/^identity_watch_unknown_signers 3$/m);
  });

  /** A brake that fails so many times, the findings that it acts on, and what is told. */
  function brakeOf(found: Partial<Finding>[], failures: number, others: readonly string[] = []) {
    const events: WatchEvent[] = [];
    const removed: (readonly string[])[] = [];
    const metrics = createWatchMetrics();
    const tell = (event: WatchEvent) => events.push(event);
    const teller = openTeller({
      tell,
      onProgress: () => undefined,
      webhook: undefined,
      metrics,
      consumers: new Set(),
    });
    const findings = found.map((each) => ({ ...forged, ...each }) as Finding);
    let left = failures;
    const fail = (times: number) => {
      left = times;
    };
    const brake = {
      guardian: "the guardian",
      check: async () => undefined,
      async remove(signers) {
        if (left-- > 0) throw new InvalidInputError("The node is away.");
        removed.push(signers);
        return ["a transaction"];
      },
    } satisfies Brake;
    const act = openActing({
      all: () => findings,
      readAllowlist: async () => ["one", "two"],
      openBrake: async () => brake,
      consumers: new Set(["a consumer"]),
      others: new Set(others),
      teller,
      metrics,
    });
    return { act, fail, events, removed };
  }

  it("is tried again for a finding whose removal could not be sent, and says a second time that it fails", async () => {
    const { act, fail, events, removed } = brakeOf([{ signer: "one" }], 1);
    for (let i = 0; i < 2; i++) {
      await act();
      passTime(1_000);
    }
    expect(removed).to.deep.equal([["one"]]);
    expect(events.map(({ event }) => event)).to.deep.equal(["forged", "cannot-brake", "brake-sent"]);
    fail(1);
    await act();
    expect(events.slice(3)).to.deep.equal([events[1]]);
  });

  it("holds a claim that names nobody against all signers at a named consumer, unless others sign for it", async () => {
    const unnamed = { signer: unattributed };
    const alone = brakeOf([unnamed], 0);
    await alone.act();
    expect(alone.removed).to.deep.equal([["one", "two"]]);
    for (const { act, removed } of [
      brakeOf([unnamed], 0, ["another service's signer"]),
      brakeOf([{ ...unnamed, consumer: "another consumer" }], 0),
      brakeOf([{ ...unnamed, kind: "unproven" }], 0),
    ]) {
      await act();
      expect(removed).to.deep.equal([]);
    }
  });

  it("is tried every minute, because its guardian may have spent its ether since", async () => {
    const events: WatchEvent[] = [];
    const metrics = createWatchMetrics();
    const tell = (event: WatchEvent) => events.push(event);
    const teller = openTeller({
      tell,
      onProgress: () => undefined,
      webhook: undefined,
      metrics,
      consumers: new Set(),
    });
    let [checks, isPoor] = [0, false];
    const brake = {
      guardian: "the guardian",
      async check() {
        checks++;
        if (isPoor) throw new InvalidInputError("The guardian has 0 wei.");
      },
      remove: async () => expect.fail("Nobody is to be removed."),
    } satisfies Brake;
    const act = openActing({
      all: () => [],
      readAllowlist: async () => ["a signer"],
      openBrake: async () => brake,
      consumers: new Set(),
      others: new Set(),
      teller,
      metrics,
    });
    const canBrake = async () => (await metrics.canBrake.get()).values[0]?.value;
    for (let i = 0; i < 2; i++) await act();
    expect([checks, await canBrake(), events]).to.deep.equal([1, 1, []]);
    isPoor = true;
    passTime(60_000);
    await act();
    expect([checks, await canBrake()]).to.deep.equal([2, 0]);
    expect(events).to.deep.equal([{ event: "cannot-brake", problem: "The guardian has 0 wei." }]);
  });
});
