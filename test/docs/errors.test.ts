import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { Interface } from "ethers";
import { revertMeanings } from "../../protocol/reverts.ts";
import { walletErrors } from "../../wallet/errors.ts";
import { readTables } from "../fixtures/markdown.ts";

const plain = (cell: string | undefined) => cell?.replaceAll("`", "") ?? "";
const canonical = (error: string) => Interface.from([`error ${error}`]).fragments[0]?.format("sighash") ?? "";

describe("docs/errors/contract.md", () => {
  const rows = readTables("docs/errors/contract.md").flat();

  it("lists every error that a shipped contract declares, as it is declared, and no other", () => {
    const declared = globSync("contracts/{*,interfaces/*,examples/*}.sol").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/^ +error (\w+\([^)]*\));/gm)].map(([, error = ""]) => error),
    );
    expect(rows.map(([error]) => plain(error))).to.have.members(declared);
  });

  it("lists what the tasks explain in words, and no other", () => {
    const explained = Object.keys(revertMeanings).map((error) => canonical(error.replace("error ", "")));
    expect(rows.map(([error]) => canonical(plain(error)))).to.have.members(explained);
  });
});

describe("docs/errors/wallet.md", () => {
  it("lists every error of the wallet with its meaning, and no other", () => {
    const listed = readTables("docs/errors/wallet.md")
      .flat()
      .map(([code, meaning]) => ({ code: Number(plain(code)), meaning: plain(meaning) }));
    expect(listed).to.have.deep.members(Object.values(walletErrors));
  });
});
