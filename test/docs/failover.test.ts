import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { packages } from "../../bench/cluster/programs.ts";
import { readReport } from "../../bench/report/writeDocs.ts";
import { readCommand } from "../../bench/scenarios.ts";
import { readSnippets, readTables } from "../fixtures/markdown.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const guide = "docs/failover.md";
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("The page on failover", () => {
  // What is in them: test/docs/performance.test.ts.
  it("has the tables of both scenarios", () => {
    expect(Object.keys(readReport("failover"))).to.have.members(["failover", "chaos"]);
  });

  it("tells the least, the median and the most of all kills", () => {
    const [rows = []] = readTables(guide);
    const { rows: kills = [] } = readReport("failover").failover ?? {};
    const away = kills.map(({ values }) => values.database ?? Number.NaN).toSorted((a, b) => a - b);
    expect(away.length).to.be.at.least(20);
    expect(rows.map(([name, database]) => [name, Number(database)])).to.deep.equal([
      [`least of ${away.length}`, away[0]],
      [`median of ${away.length}`, away[Math.floor((away.length - 1) / 2)]],
      [`most of ${away.length}`, away.at(-1)],
    ]);
  });

  it("shows the configuration that was tried, and how that is done", () => {
    const snippets = readSnippets(guide).map(({ text }) => text.trim());
    expect(read(guide)).to.include("](../deploy/haproxy/haproxy.cfg)");
    const [dcs] = readSnippets(guide).filter(({ language }) => language === "yaml");
    const { postgresql, ...shared } = parse(read("deploy/patroni/patroni.yml")).bootstrap.dcs;
    const { use_pg_rewind } = postgresql;
    expect(parse(dcs?.text ?? "")).to.deep.equal({ ...shared, postgresql: { use_pg_rewind } });
    for (const file of ["patroni.yml", "etcd", "haproxy.cfg"])
      expect(read(guide)).to.include(`](../deploy/patroni/${file})`);
    const commands = snippets
      .flatMap((text) => text.split("\n"))
      .filter((line) => line.startsWith("npm run bench -- "));
    expect(commands).to.have.length(2);
    for (const command of commands) readCommand(command.split(" ").slice(4), () => undefined);
    for (const name of packages)
      expect(read(guide)).to.match(new RegExp(`apt-get install [^\`]*\\b${name}\\b`));
  });
});
