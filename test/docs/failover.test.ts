import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { packages } from "../../bench/cluster/programs.ts";
import { readReport } from "../../bench/report/writeDocs.ts";
import { readCommand } from "../../bench/scenarios.ts";
import { readSnippets } from "../fixtures/markdown.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const guide = "docs/failover.md";
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("The page on failover", () => {
  // The sentence on the kills: test/docs/performance.test.ts.
  it("says of twenty kills and one chaos what their report says", () => {
    const { failover, chaos, ...others } = readReport("failover");
    expect(others).to.deep.equal({});
    expect(failover?.rows).to.have.length.of.at.least(20);
    const targets = [failover, chaos].flatMap((report) => report?.targets ?? []);
    expect(targets.map(({ promise }) => promise)).to.include.members([
      "No acknowledged write is lost",
      "Every answer is right, or 503 with Retry-After",
      "Every killed node rejoins",
      "No request is refused while replicas are killed or restarted",
      "The replica that is ahead issues nothing",
      "The replica that is behind issues nothing",
    ]);
    expect(targets.filter(({ met }) => !met)).to.deep.equal([]);
  });

  it("names the files that were tried, and how that is done", () => {
    expect(read(guide)).to.include("](../deploy/haproxy/haproxy.cfg)");
    for (const file of ["patroni.yml", "etcd", "haproxy.cfg"])
      expect(read(guide)).to.include(`](../deploy/patroni/${file})`);
    const commands = readSnippets(guide)
      .flatMap(({ text }) => text.split("\n"))
      .filter((line) => line.startsWith("npm run bench -- "));
    expect(commands).to.have.length(2);
    for (const command of commands) readCommand(command.split(" ").slice(4), () => undefined);
    for (const name of packages)
      expect(read(guide)).to.match(new RegExp(`apt-get install [^\`]*\\b${name}\\b`));
  });
});
