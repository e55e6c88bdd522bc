import { expect } from "chai";
import { catalogue } from "../../protocol/catalogue.ts";
import { readTables } from "../fixtures/markdown.ts";

describe("docs/providers.md", () => {
  it("lists everything that a contract may ask, and nothing else", () => {
    const [listed = []] = readTables("docs/providers.md");
    const known = [...catalogue].flatMap(([provider, conditions]) =>
      [...conditions].map(([name, { type, operators }]) => [provider, name, type, operators.join(", ")]),
    );
    expect(listed.map((row) => row.map((cell) => cell.replaceAll("`", "")))).to.deep.equal(known);
  });
});
