import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { returnErrors } from "../../../protocol/verifyPage.ts";
import { root } from "../../fixtures/tasks/hardhat.ts";

const guide = readFileSync(join(root, "docs/verify-page.md"), "utf8");

describe("docs/verify-page.md", () => {
  it("lists every reason with which a person comes back, and no other", () => {
    const [, after = ""] = guide.split("as `error`:\n\n");
    const items = (after.split("\n\n")[0] ?? "").matchAll(/^- `(\w+)`: /gm);
    expect([...items].map(([, reason]) => reason)).to.deep.equal([...returnErrors]);
  });

  it("names a test for each defence", () => {
    const [, list = ""] = guide.split("## What it withstands");
    const titles = [...list.matchAll(/^- .+$/gm)].flatMap(([line]) => {
      const [, tests] = /^- [^_]+\. _(.+)_$/.exec(line) ?? [];
      return tests?.split("_, _") ?? line;
    });
    const tests = globSync("test/{signer,web}/**/*.test.ts", { cwd: root }).map((file) =>
      readFileSync(join(root, file), "utf8"),
    );
    expect(titles.length).to.be.at.least(20);
    for (const title of titles) {
      const found = tests.filter((text) => text.includes(`it("${title}"`));
      expect(found, title).to.have.length(1);
    }
  });

  it("shows pictures that are there", () => {
    const pictures = [...guide.matchAll(/src="([^"]+)"/g)].map(([, picture = ""]) => picture);
    expect(pictures).not.to.deep.equal([]);
    for (const picture of pictures) readFileSync(join(root, "docs", picture));
  });
});
