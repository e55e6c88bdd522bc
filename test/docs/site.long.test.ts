import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { pages } from "../../docs/.vitepress/pages.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";
import { useBrowser } from "../fixtures/web/browser.ts";

const items = pages.flatMap((section) => section.items);
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("The reference", () => {
  it("has a reference that says what the code says", async () => {
    const check = promisify(execFile)("node", ["scripts/reference.ts", "--check"], {
      cwd: root,
      env: cleanEnvironment(),
    });
    await check.catch(({ stderr }) => expect.fail(stderr));
  }).timeout(120_000);
});

describe("The site of the documentation", () => {
  let site: string;
  before(async function () {
    this.timeout(120_000);
    site = await temporaryFolder();
    // Fails on a link to a page that there is not.
    const build = promisify(execFile)("vitepress", ["build", "docs", "--outDir", site], {
      cwd: root,
      env: cleanEnvironment(),
    });
    await build.catch(({ stdout, stderr }) => expect.fail(`${stdout}${stderr}`));
  });
  const readBuilt = (file: string) => readFileSync(join(site, file), "utf8");

  describe("in a browser", () => {
    const browser = useBrowser();

    async function openPage(path: string, width = 1280) {
      const page = await browser().newPage({ colorScheme: "light", viewport: { width, height: 844 } });
      await page.route("**/*", async (route) => {
        const { pathname } = new URL(route.request().url());
        const page = pathname.replace(/\/$/, "/index");
        const file = join(site, extname(pathname) === "" ? `${page}.html` : pathname);
        await route.fulfill(existsSync(file) ? { path: file } : { status: 404 });
      });
      await page.goto(`http://site.invalid${path}`);
      return page;
    }

    it("opens the tab that was chosen in every group, on the next page, too", async () => {
      const page = await openPage("/testing");
      const choose = (name: RegExp) =>
        page.locator(".vp-code-group label", { hasText: name }).first().click();
      await choose(/^viem$/);
      const chosen = () => page.locator(".vp-code-group input:checked + label:text-is('viem')").count();
      const all = () => page.locator(".vp-code-group label:text-is('viem')").count();
      expect(await all()).to.be.above(1);
      expect(await chosen()).to.equal(await all());
      await page.goto("http://site.invalid/getting-started");
      await page.locator(".vp-code-group input:checked + label:text-is('viem')").first().waitFor();
      // Another question is asked there, too.
      await choose(/^pnpm$/);
      expect(await page.locator(".vp-code-group input:checked + label:text-is('pnpm')").count()).to.equal(2);
      expect(await chosen()).to.equal(1);
      await page.reload();
      await page.locator(".vp-code-group input:checked + label:text-is('pnpm')").first().waitFor();
      expect(await chosen()).to.equal(1);
      await page.close();
    });

    it("opens a tab where the browser blocks all cookies", async () => {
      const page = await openPage("/testing");
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(String(error)));
      await page.evaluate(
        `Object.defineProperty(window, "localStorage", { get() { throw new Error("blocked"); } })`,
      );
      await page
        .locator(".vp-code-group label", { hasText: /^viem$/ })
        .first()
        .click();
      await page.locator(".vp-code-group input:checked + label:text-is('viem')").first().waitFor();
      expect(errors).to.deep.equal([]);
      await page.close();
    });

    it("shows of a tab with text and several blocks all of it, and of the others nothing", async () => {
      const page = await openPage("/getting-started");
      const ofPnpm = page.getByText("allowBuilds:");
      const install = page.getByText("pnpm add --save-dev hardhat");
      expect([await ofPnpm.isVisible(), await install.isVisible()]).to.deep.equal([false, false]);
      await page
        .locator(".vp-code-group label", { hasText: /^pnpm$/ })
        .first()
        .click();
      await ofPnpm.waitFor();
      expect(await install.isVisible()).to.equal(true);
      expect(await page.getByText("Ignore the warning about install scripts").isVisible()).to.equal(false);
      await page.close();
    });

    it("leads on from an address that it does not have", async () => {
      const page = await openPage("/404");
      await page.getByRole("heading", { name: "Page not found" }).waitFor();
      const links = await page
        .locator(".missing a")
        .evaluateAll((all) => all.map((each) => each.getAttribute("href")));
      expect(links).to.include("/getting-started").and.have.length.above(2);
      for (const link of links) expect(existsSync(join(site, `${link}.html`)), `${link}`).to.equal(true);
      await page.close();
    });

    it("plays the story on its first page with recorded answers, and asks nobody", async () => {
      const page = await openPage("/");
      const story = page.locator("playable-story");
      const asked: string[] = [];
      await story.getByText("Nobody has claimed yet").waitFor();
      page.on("request", (request) => asked.push(request.url()));
      await story.getByRole("button", { name: "Claim with Alice’s phone" }).click();
      await story.getByText("1 person").waitFor();
      await story.getByText("What was sent").click();
      await story.getByText("wants you to sign in with your Ethereum account").waitFor();
      await story.getByText("The service answers 200").waitFor();
      await story.getByRole("button", { name: "Claim with Alice’s laptop" }).click();
      await story.getByText(/^IdentityAlreadyUsed\(0x[0-9a-f]{64}\)$/).waitFor();
      await story.getByText("Same person again: refused").waitFor();
      await story.getByRole("button", { name: "Claim with Bob’s phone" }).click();
      // The story ends with its punchline, and the service's answer to Bob opens with a click.
      await story.getByText("The service does not sign for Bob").waitFor();
      await story.getByText(/^IdentityAlreadyUsed\(0x[0-9a-f]{64}\)$/).waitFor();
      await story.getByText("The service does not sign for Bob").click();
      await story.getByText('"code": "conditions_not_satisfied"').waitFor();
      // The outcome of each claim stays.
      expect(await story.locator("li > details > summary").allInnerTexts()).to.have.length(3);
      await story.getByRole("button", { name: "Start over" }).click();
      await story.getByText("Nobody has claimed yet").waitFor();
      // The site fetches the pages that its links lead to before somebody follows them.
      expect(asked.filter((url) => !url.startsWith("http://site.invalid/assets/"))).to.deep.equal([]);
      await page.close();
    });

    for (const [device, width] of [
      ["a laptop", 1280],
      ["a phone", 390],
    ] as const) {
      it(`shows the open page in its sidebar, and leads to others from there, on ${device}`, async () => {
        const page = await openPage("/getting-started", width);
        const errors: string[] = [];
        page.on("pageerror", (error) => errors.push(String(error)));
        page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
        const sidebar = page.locator(".VPSidebar");
        const open = async () => {
          if (width < 960) await page.getByRole("button", { name: "Menu", exact: true }).click();
        };
        const active = () => sidebar.locator(".is-link.is-active > .item").allInnerTexts();
        await open();
        await page.locator("html.alive").waitFor();
        await sidebar.getByRole("link", { name: "Getting started", exact: true }).waitFor();
        expect(await active()).to.deep.equal(["Getting started"]);
        expect(await sidebar.locator(".caret[role]").count()).to.equal(0);
        await sidebar.getByRole("link", { name: "How it works", exact: true }).click();
        await page.getByRole("heading", { name: "How it works", level: 1 }).waitFor();
        await open();
        await sidebar.locator(".is-active", { hasText: "How it works" }).first().waitFor();
        expect(await active()).to.deep.equal(["How it works"]);
        expect(errors).to.deep.equal([]);
        await page.close();
      });
    }

    it("shows in forced colours its icons, which tab is open and which button leads on", async () => {
      const page = await openPage("/");
      await page.emulateMedia({ forcedColors: "active" });
      /** The colour behind an element of the page that is open, or behind a part that its style adds. */
      const colour = (selector: string, part?: string) =>
        page
          .locator(selector)
          .first()
          .evaluate(
            (element, pseudo) => Reflect.get(globalThis, "getComputedStyle")(element, pseudo).backgroundColor,
            part,
          );
      const ground = await colour("body");
      expect(await colour(".VPSocialLink [class*=vpi-]")).not.to.equal(ground);
      expect(await colour(".ways a:first-child")).not.to.equal(await colour(".ways a:last-child"));
      await page.goto(new URL("/getting-started", page.url()).href);
      const [open, other] = ["input:checked + label", "input:not(:checked) + label"];
      expect(await colour(open, "::after")).not.to.equal(await colour(other, "::after"));
      await page.close();
    });

    it("calls its search by the word that is written on it", async () => {
      const page = await openPage("/getting-started");
      await page.addScriptTag({ path: createRequire(import.meta.url).resolve("axe-core/axe.min.js") });
      const rule = JSON.stringify({ runOnly: ["label-content-name-mismatch"] });
      const found = await page.evaluate(
        `axe.run(document, ${rule}).then(({ violations, passes }) => [violations.length, passes.length])`,
      );
      expect(found).to.deep.equal([0, 1]);
      await page.close();
    });

    it("finds a name on the site first by a part of it", async () => {
      const page = await openPage("/getting-started");
      await page.locator("#local-search button").click();
      await page.locator(".search-input").fill("expired");
      expect(await page.locator(".result").first().innerText()).to.include("VerificationExpired");
      await page.close();
    });

    it("finds the guide of a database and of a base contract first", async () => {
      const page = await openPage("/getting-started");
      await page.locator("#local-search button").click();
      for (const [word, guide] of [
        ["postgres", "/store"],
        ["verifyOnce", "/contracts"],
      ] as const) {
        await page.locator(".search-input").fill(word);
        await page.locator(`.result[href^="${guide}"]`).first().waitFor();
        expect(await page.locator(".result").first().getAttribute("href"), word).to.match(
          new RegExp(`^${guide}`),
        );
      }
      await page.close();
    });

    it("shows the dark pictures where the reader has chosen dark, whatever the system's colours", async () => {
      const page = await openPage("/how-it-works");
      const refused = page.getByAltText("the contract refuses her laptop");
      const shown = () => refused.evaluate((image) => String(Reflect.get(image, "currentSrc")));
      expect(await shown()).not.to.include("dark");
      await page.locator(".VPNavBarAppearance button").click();
      await page.waitForFunction("[...document.images].some((image) => image.currentSrc.includes('dark'))");
      expect(await shown()).to.include("same-person-refused-dark");
      await page.close();
    });
  });

  it("shows its signs in browsers that do not know alternatives of generated text, too", () => {
    const files = readdirSync(join(site, "assets")).filter((file) => file.endsWith(".css"));
    const style = files.map((file) => readBuilt(`assets/${file}`)).join("");
    const withAlternative = [...style.matchAll(/content:([^;}]+?)\s*\/\s*""/g)];
    expect(withAlternative).to.have.length.above(3);
    for (const [whole, text] of withAlternative)
      expect(style.includes(`content:${text};${whole}`), whole).to.equal(true);
  });

  it("makes tabs of blocks that GitHub shows one after the other, under bold labels", () => {
    const withTabs = items.filter(({ link }) => {
      const file = link === "/security" ? "SECURITY.md" : `docs${link}.md`;
      const groups = read(file).match(/^<!-- tabs -->$[\s\S]*?^<!-- \/tabs -->$/gm) ?? [];
      const labels = groups.flatMap((group) =>
        [...group.matchAll(/^\*\*(\w+)\*\*$/gm)].map(([, label]) => label),
      );
      const html = readBuilt(`${link}.html`);
      const shown = [...html.matchAll(/<label data-title="(\w+)"/g)].map(([, label]) => label);
      expect(shown, link).to.deep.equal(labels);
      for (const label of labels) expect(html).not.to.include(`<strong>${label}</strong>`);
      return labels.length > 0;
    });
    expect(withTabs.map(({ link }) => link)).to.include.members(["/getting-started", "/testing"]);
  });

  it("has the headings that its pages link to, and every page of its own on itself", () => {
    const targets = items.flatMap(({ link }) =>
      [...readBuilt(`${link}.html`).matchAll(/<a href="(\/[^"]*|#[^"]*)"/g)].map(([, href = ""]) =>
        href.startsWith("#") ? `${link}${href}` : href,
      ),
    );
    expect(targets).to.include("/client#errors");
    const dead = [...new Set(targets)].filter((href) => {
      const [path = "", hash] = href.split("#");
      const file = path === "/" ? "/index.html" : `${path}.html`;
      if (!existsSync(join(site, file))) return true;
      return hash !== undefined && !readBuilt(file).includes(`id="${decodeURIComponent(hash)}"`);
    });
    expect(dead).to.deep.equal([]);
  });

  it("links to files of the repository that are there", () => {
    const html = items.map(({ link }) => readBuilt(`${link}.html`)).join();
    const files = [
      ...html.matchAll(/ href="https:\/\/github\.com\/[\w-]+\/[\w-]+\/(?:blob|edit)\/main\/([^"#]+)/g),
    ];
    const named = [...new Set(files.map(([, file = ""]) => decodeURI(file)))];
    expect(named).to.include.members(["docs/getting-started.md", "contracts/interfaces", "CHANGELOG.md"]);
    expect(named.filter((file) => !existsSync(join(root, file)))).to.deep.equal([]);
  });

  it("has every page as Markdown for programs, with what it includes, and an index of them", () => {
    const index = readBuilt("llms.txt");
    const listed = [...index.matchAll(/^- \[.+\]\((.+)\): .+$/gm)].map(([, file = ""]) => file);
    expect(listed).to.deep.equal(items.map(({ link }) => `${link.slice(1)}.md`));
    const [, contract = ""] =
      /<!-- #region contract -->\n\n([\s\S]*?)\n<!-- #endregion/.exec(read("README.md")) ?? [];
    for (const file of listed) {
      const written = read(file === "security.md" ? "SECURITY.md" : `docs/${file}`);
      const included = written.replace("<!--@include: ../README.md#contract-->\n", () => contract);
      expect(readBuilt(file)).to.equal(included);
    }
  });
});
