import { readFileSync } from "node:fs";
import { expect } from "chai";

type Table = Record<string, string[]>;

/** The rooms of a Markdown table with the columns `room | what it is | uses`; one that says nothing of uses is left out. */
function readTable(markdown: string): Table {
  const rows = [...markdown.matchAll(/^\| `(\w+)\/?` *\|[^|]*\| *(\S[^|]*?) *\|$/gm)];
  return Object.fromEntries(
    rows.map(([, room = "", uses = ""]) => [
      room,
      uses === "nothing" ? [] : [...uses.matchAll(/`(\w+)\/?`/g)].map(([, used = ""]) => used).sort(),
    ]),
  );
}

describe("The house", () => {
  it("has in CONTRIBUTING.md the table of imports that `npm test` holds", async () => {
    const rules = await import(new URL("../.dependency-cruiser.mjs", import.meta.url).href);
    const held = Object.entries(rules.uses as Table).map(([room, uses]) => [room, [...uses].sort()]);
    const section = /^## The house\n([\s\S]*?)^## /m.exec(
      readFileSync(new URL("../CONTRIBUTING.md", import.meta.url), "utf8"),
    );
    expect(readTable(section?.[1] ?? "")).to.deep.equal(Object.fromEntries(held));
  });
});
