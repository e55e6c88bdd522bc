import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { Interface } from "ethers";
import { revertMeanings } from "../../packages/protocol/reverts.ts";

const canonical = (error: string) => Interface.from([`error ${error}`]).fragments[0]?.format("sighash") ?? "";

describe("docs/errors/contract.md", () => {
  const listed = [
    ...readFileSync("docs/errors/contract.md", "utf8").matchAll(/^### `(\w+)`\n\n`(\1\([^`]*\))`/gm),
  ].map(([, , error = ""]) => error);

  /** The errors that Solidity files declare, as they are written there. */
  const declaredIn = (pattern: string) =>
    globSync(pattern).flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/^ +error (\w+\([^)]*\));/gm)].map(([, error = ""]) => error),
    );

  it("lists every error that a contract declares, as it is declared, and no other", () => {
    expect(listed).to.have.members(declaredIn("contracts/**/*.sol"));
  });

  it("lists what the tasks explain in words, and besides only what they never meet", () => {
    const explained = Object.keys(revertMeanings).map((error) => canonical(error.replace("error ", "")));
    const others = declaredIn("contracts/{testing,wallet}/*.sol").map(canonical);
    expect(listed.map(canonical)).to.have.members([...explained, ...others]);
  });
});
