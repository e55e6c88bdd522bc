import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { defaultSettings } from "../../packages/wallet/index.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

describe("The guide to the wallet", () => {
  it("lists every setting with its default", () => {
    const rows = readFileSync(join(root, "docs/wallet.md"), "utf8").matchAll(/^- `(\w+)` \(`([^`]+)`\): /gm);
    const listed = [...rows].map(([, name, value = ""]) => [name, JSON.parse(value)]);
    expect(Object.fromEntries(listed)).to.deep.equal(defaultSettings);
  });
});
