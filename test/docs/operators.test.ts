import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../fixtures/tasks/hardhat.ts";
import { runIdentitySigner } from "../fixtures/tasks/identitySigner.ts";

const guides = globSync(["*.md", "docs/*.md", "docs/errors/*.md"], { cwd: root, exclude: ["CHANGELOG.md"] });
const read = (file: string) => readFileSync(join(root, file), "utf8").replaceAll("\\\n", " ");

/** The commands in the guides, without what follows a pipe or stands behind a comment. */
const commands = guides.flatMap((file) =>
  [...read(file).matchAll(/npx --no identity-signer ([a-z][^\n`#|&]*)/g)].map(([, command = ""]) => ({
    file,
    words: command
      .replaceAll(/\$\(.*?\)/g, "…")
      .trim()
      .split(/\s+/),
  })),
);

describe("The operators' guides", () => {
  it("use commands and options of identity-signer that exist", async () => {
    expect(commands.length).to.be.above(20);
    for (const { file, words } of commands) {
      // Options and arguments after the name begin differently.
      const end = words.findIndex((word) => !/^[a-z-]+$/.test(word) || word.startsWith("--"));
      const name = end === -1 ? words : words.slice(0, end);
      const where = `${file}: identity-signer ${words.join(" ")}`;
      // An argument that is a word alone, as of `provider try`, is no part of the name.
      const { code, output } = await runIdentitySigner([...name.slice(0, 2), "--help"], {});
      expect(code, `${where}\n${output}`).to.equal(0);
      const known = [...output.matchAll(/--[a-z-]+/g)].map(([option]) => option);
      for (const word of words.filter((each) => /^--[a-z]/.test(each)))
        expect([...known, "--help"], where).to.include(word);
    }
  });

  it("name settings that the service has", async () => {
    const { output } = await runIdentitySigner(["settings"], {});
    const known = [...output.matchAll(/IDENTITY_\w+/g)].map(([name]) => name);
    for (const file of guides) {
      // Those of a provider are listed on its page, and held to the code there.
      const named = [...read(file).matchAll(/IDENTITY_(?!<|GITHUB_)\w+/g)].map(([name]) => name);
      const settings = named.map((name) => name.replace(/_FILE$/, ""));
      expect(known, file).to.include.members(settings);
    }
  });
});
