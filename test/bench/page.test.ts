import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { describeAge, findCommit, writePage } from "../../bench/report/page.ts";
import { rejection } from "../fixtures/rejection.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const page = "docs/performance.md";

/** A clone with a service and the page that tells how fast it is. */
async function clone() {
  const folder = await temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
      encoding: "utf8",
    });
  const commit = (file: string, text: string) => {
    writeFileSync(join(folder, file), text);
    git("add", ".");
    git("commit", "-q", "-m", "A change");
  };
  git("init", "-q");
  mkdirSync(join(folder, "docs"));
  mkdirSync(join(folder, "signer"));
  commit(
    page,
    "# Fast\n\n<!-- npm run bench -- --write -->\n\nOld.\n\n<!-- the end of its tables -->\n\nMore.\n",
  );
  commit("signer/index.ts", "1");
  const tables = () => `2026-01-02, commit ${findCommit(folder)}: a machine.`;
  return { folder, commit, tables };
}

describe("The page of the bench's tables", () => {
  it("says how many commits have changed the code since its tables were made", async () => {
    const { folder, commit, tables } = await clone();
    expect(describeAge(folder)).to.equal(`${page} does not name the commit that it was measured at.`);
    await writePage(folder, tables());
    commit(page, readFileSync(join(folder, page), "utf8"));
    expect(describeAge(folder)).to.equal(undefined);
    commit("signer/index.ts", "2");
    expect(describeAge(folder)).to.match(/was measured at .*\. Commits that changed the code since: 1\./);
  });

  it("gets its tables and keeps the rest", async () => {
    const { folder, tables } = await clone();
    await writePage(folder, tables());
    const text = readFileSync(join(folder, page), "utf8");
    expect(text).to.include(tables()).and.include("# Fast").and.include("More.").and.not.include("Old.");
  });

  it("gets no tables of code that is in no commit", async () => {
    const { folder, tables } = await clone();
    writeFileSync(join(folder, "signer/index.ts"), "changed");
    expect(findCommit(folder)).to.match(/\+$/);
    const { message } = await rejection(writePage(folder, tables()));
    expect(message).to.include("changes that are in none");
  });

  it("says that a commit is unknown to the clone", async () => {
    const { folder, commit } = await clone();
    await writePage(folder, "2026-01-02, commit 0123456789: a machine.");
    commit(page, readFileSync(join(folder, page), "utf8"));
    expect(describeAge(folder)).to.include("which is not in this clone");
  });
});
