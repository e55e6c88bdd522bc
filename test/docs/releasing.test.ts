import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const page = read("docs/releasing.md");
const section = (heading: string) =>
  page.split(/^## /m).find((part) => part.startsWith(heading)) ?? expect.fail(heading);

/** Words that are wrong once something is released. */
const unreleased =
  /not released|nothing is released|missing: a release|(?:first|until the) release|install[- ]from[- ]a[- ]clone|hardhat-identity && npm run pack/i;

interface Job {
  readonly if?: string;
  readonly needs?: string;
  readonly environment?: string;
  readonly permissions?: Record<string, string>;
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}

describe("The page on releasing", () => {
  it("lists every file that says that nothing is released, and no other", () => {
    const files = globSync(["*.md", "docs/**/*.md", "docs/.vitepress/*.ts", "**/README.md"], {
      cwd: root,
      exclude: ["**/node_modules/**", "CHANGELOG.md", "CONTRIBUTING.md", "docs/releasing.md"],
    });
    const found = files.filter((file) => unreleased.test(read(file).replaceAll(/\s+/g, " ")));
    expect(found).to.have.length.above(25);
    const links = [...section("After the first release").matchAll(/\]\(([^)]+)\)/g)];
    const listed = links.map(([, link = ""]) => join("docs", link));
    expect(listed).to.have.members(found);
  });

  it("names every package with its folder", () => {
    const rows = [...section("The names").matchAll(/^\| `([^`]+)` +\| `([^`]+)` +\|$/gm)];
    const packages = globSync(["{contracts,ignition,tasks,signer}/package.json", "packages/*/package.json"], {
      cwd: root,
    }).map((file) => [JSON.parse(read(file)).name, file.replace("/package.json", "")]);
    expect(rows.map(([, name, folder]) => [name, folder])).to.have.deep.members(packages);
  });

  it("has at most ten lines of what only the owner can do", () => {
    const steps = section("For the owner alone").match(/^\d+\. .*$/gm) ?? [];
    expect(steps).to.have.length.within(5, 10);
  });
});

describe("The workflow of a release", () => {
  const workflow = parse(read(".github/workflows/release.yml"));
  const jobs: Record<string, Job> = workflow.jobs;
  const commands = (job: Job | undefined) => job?.steps.flatMap(({ run }) => run ?? []);

  it("runs for tags of versions and by hand, and has the right to publish in one job, which is for tags alone", () => {
    expect(workflow.on).to.deep.equal({ push: { tags: ["v*"] }, workflow_dispatch: null });
    expect(workflow.permissions).to.deep.equal({ contents: "read" });
    const entitled = Object.entries(jobs).filter(([, { permissions }]) => permissions !== undefined);
    expect(entitled.map(([name]) => name)).to.deep.equal(["publish"]);
    const {
      if: when,
      needs,
      environment,
      permissions,
    } = jobs.publish ?? expect.fail("There is no job publish.");
    expect({ when, needs, environment, permissions }).to.deep.equal({
      when: "github.event_name == 'push'",
      needs: "pack",
      environment: "release",
      permissions: { contents: "read", "id-token": "write" },
    });
  });

  it("installs nothing and reads no secret where it has the right to publish", () => {
    expect(commands(jobs.publish)).to.deep.equal(["node scripts/release.ts publish packed"]);
    expect(read(".github/workflows/release.yml")).not.to.include("secrets.");
    const imported = [...read("scripts/release.ts").matchAll(/ from "([^"]+)"/g)].map(
      ([, name = ""]) => name,
    );
    expect(imported).to.have.length.above(3);
    expect(imported.filter((name) => !name.startsWith("node:"))).to.deep.equal([]);
  });

  it("does without a tag what it does with one, up to the publishing", () => {
    expect(commands(jobs.pack)).to.deep.equal([
      "node scripts/run.mjs --all node scripts/release.ts pack packed",
      "node scripts/release.ts publish packed --dry-run",
    ]);
  });

  it("refuses a tag that is not the version, or whose changes have no date, before it packs anything", async () => {
    const folder = await temporaryFolder();
    const env = { ...process.env, GITHUB_REF_TYPE: "tag", GITHUB_REF_NAME: "v9.9.9" };
    const run = () =>
      execFileSync(process.execPath, ["scripts/release.ts", "pack", folder], {
        cwd: root,
        env,
        stdio: "pipe",
      });
    expect(run).to.throw(/The tag is v9\.9\.9, and package\.json says \d+\.\d+\.\d+: tag v\d/);
    expect(globSync("*", { cwd: folder })).to.deep.equal([]);
  });
});
