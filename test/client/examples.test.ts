import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import * as client from "../../packages/client/index.ts";
import {
  docstringExamples,
  runExample,
  sources,
  useExampleStack,
  writeExamples,
} from "../fixtures/client/examples.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

describe("Every example in the client's doc comments", function () {
  this.timeout(60_000);
  const fillIn = useExampleStack();

  for (const example of docstringExamples) {
    it(`runs, and prints the output in its comments: ${example.name}`, async () => {
      const [file = ""] = writeExamples([example], fillIn);
      const { logged, expected } = await runExample(file, example.text);
      expect(logged).to.deep.equal(expected);
    });
  }

  it("exists for every public function", () => {
    const names = new Set(Object.keys(client));
    const documented = sources
      .map((file) => readFileSync(join(root, file), "utf8"))
      .flatMap((source) => [
        ...source.matchAll(
          /```ts\n(?:(?!\*\/)[\s\S])*?```\n \*\/\nexport (?:async )?(?:function|class) (\w+)/g,
        ),
      ])
      .map(([, name]) => name);
    // The table of actions is a constant, and is explained with the error.
    names.delete("identityErrorActions");
    expect([...names].sort()).to.deep.equal(documented.sort());
  });
});

describe("The lists of errors in docs/client.md", () => {
  it("list every code with its action, and no other", () => {
    const guide = readFileSync(join(root, "docs/client.md"), "utf8");
    const ofClient = [...guide.matchAll(/^- `(client_\w+)` \(`([\w-]+)`\): /gm)].map(([, code, action]) => [
      code,
      action,
    ]);
    const ofService = [...guide.matchAll(/^- `([a-z-]+)`: ((?:`\w+`,?\s+)+)/gm)].flatMap(
      ([, action, codes = ""]) => [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, action]),
    );
    const listed = [...ofService, ...ofClient];
    expect(Object.fromEntries(listed)).to.deep.equal(client.identityErrorActions);
    expect(listed.length).to.equal(Object.keys(client.identityErrorActions).length);
  });
});
