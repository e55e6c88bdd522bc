import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { returnErrors } from "../../../packages/verify-page/messages.ts";
import { root } from "../../fixtures/tasks/hardhat.ts";

const guide = readFileSync(join(root, "docs/verify-page.md"), "utf8");

describe("docs/verify-page.md", () => {
  it("lists every reason with which a person comes back, and no other", () => {
    const [, after = ""] = guide.split("as `error`:\n\n");
    const items = (after.split("\n\n")[0] ?? "").matchAll(/^- `(\w+)`: /gm);
    expect([...items].map(([, reason]) => reason)).to.deep.equal([...returnErrors]);
  });
});
