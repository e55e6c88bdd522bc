import { expect } from "chai";
import {
  type Finding,
  keepFindings,
  type Stranger,
  unattributed,
} from "../../../../packages/operator/watch/judging/findings.ts";

const strangerAt = (block: number): Stranger => ({
  kind: "stranger",
  signer: `signer ${block}`,
  transactionHash: `transaction ${block}`,
  block,
});

describe("The findings of a watch", () => {
  it("are the newest two thousand of each kind", () => {
    const findings = keepFindings([], () => expect.fail("Nothing was undone."), new Set());
    for (let block = 1; block <= 2_002; block++) findings.note(strangerAt(block));
    const forged = { consumer: "a consumer", round: "0x0", identityHash: "0x1", transactionHash: "0x2" };
    findings.note({ ...forged, kind: "forged", block: 1, signer: unattributed });
    findings.tidy(2_002, 0);
    const kept = findings.all();
    expect(kept.filter(({ kind }) => kind === "forged")).to.have.length(1);
    const strangers = kept.filter(({ kind }) => kind === "stranger").map(({ block }) => block);
    expect([strangers.length, strangers[0], strangers.at(-1)]).to.deep.equal([2_000, 3, 2_002]);
  });

  it("are kept at a consumer that the operator named, however many others there are that nothing proves", () => {
    const findings = keepFindings([], () => expect.fail("Nothing was undone."), new Set(["named"]));
    const claim = { kind: "forged", round: "0x0", identityHash: "0x1", signer: unattributed } as const;
    findings.note({ ...claim, consumer: "named", transactionHash: "0x2", block: 1 });
    for (let block = 2; block <= 2_002; block++)
      findings.note({ ...claim, consumer: "a decoy", transactionHash: `transaction ${block}`, block });
    findings.tidy(2_002, 0);
    const kept = findings.all().map(({ block }) => block);
    expect([kept.length, kept[0], kept[1]]).to.deep.equal([2_001, 1, 3]);
  });

  it("are kept for a day, and longer while their block may be undone", () => {
    const agoMs = (block: number, foundAgo: number): Finding => ({
      ...strangerAt(block),
      foundAt: Date.now() - foundAgo,
      isTold: true,
      isBraked: false,
    });
    const kept = [agoMs(1, 86_300_000), agoMs(2, 86_500_000), agoMs(3, 86_500_000)];
    const findings = keepFindings(kept, () => expect.fail("Nothing was undone."), new Set());
    findings.tidy(3, 2);
    expect(findings.all().map(({ block }) => block)).to.deep.equal([1, 3]);
  });

  it("are one for each round of a consumer, identity and transaction", () => {
    const undone: Finding[] = [];
    const findings = keepFindings([], (finding) => undone.push(finding), new Set());
    const claim = { consumer: "a consumer", round: "0x0", identityHash: "0x1", transactionHash: "0x2" };
    const others = [
      {},
      { round: "0x1" },
      { consumer: "b" },
      { identityHash: "0x3" },
      { transactionHash: "0x4" },
    ];
    const all = others.map((other) => ({ ...claim, ...other }));
    for (const _time of [1, 2])
      for (const each of all) findings.note({ ...each, kind: "forged", block: 1, signer: unattributed });
    expect(findings.all()).to.have.length(all.length);
    for (const finding of findings.all()) finding.isTold = true;
    findings.loosen(0);
    const logOf = ({ consumer: address, round, identityHash, transactionHash }: typeof claim) => {
      const place = { block: 1, blockHash: "0x5", readAt: 0 } as const;
      return { ...place, address, topics: ["an event", round, identityHash], transactionHash };
    };
    for (const each of all.slice(1)) findings.keep(logOf(each));
    findings.tidy(1, 0);
    expect(undone).to.have.length(1);
    expect(findings.all()).to.have.length(all.length - 1);
  });

  it("name a signer as soon as one is found, and are told and acted on anew then, once", () => {
    const findings = keepFindings([], () => expect.fail("Nothing was undone."), new Set());
    const place = { consumer: "a consumer", round: "0x0", identityHash: "0x1", transactionHash: "0x2" };
    const claim = { ...place, kind: "forged", block: 1 } as const;
    const seen = (signer: string) => {
      findings.note({ ...claim, signer });
      const told = findings.all().map((each) => [each.signer, each.isTold, each.isBraked]);
      for (const each of findings.all()) Object.assign(each, { isTold: true, isBraked: true });
      return told;
    };
    expect(seen(unattributed)).to.deep.equal([[unattributed, false, false]]);
    expect(seen("a signer")).to.deep.equal([["a signer", false, false]]);
    for (const signer of [unattributed, "a signer"]) {
      expect(seen(signer)).to.deep.equal([["a signer", true, true]]);
    }
  });

  it("are told as undone where a reorganization takes the second of them away, and no other", () => {
    const undone: Finding[] = [];
    const findings = keepFindings([], (finding) => undone.push(finding), new Set());
    for (const block of [1, 2]) findings.note(strangerAt(block));
    for (const finding of findings.all()) finding.isTold = true;
    // Nobody was told of it.
    findings.note({ ...strangerAt(2), signer: "another signer" });
    findings.loosen(0);
    // The first is in a later block now.
    findings.note({ ...strangerAt(1), block: 3 });
    findings.tidy(3, 0);
    expect(undone.map(({ block }) => block)).to.deep.equal([2]);
    expect(findings.all().map(({ block, isTold }) => [block, isTold])).to.deep.equal([[3, true]]);
  });
});
