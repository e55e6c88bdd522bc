import { globSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { expect } from "chai";
import webp from "node-webpmux";
import type { BrowserContextOptions } from "playwright-core";
import { root } from "../fixtures/tasks/hardhat.ts";
import { useBrowser } from "../fixtures/web/browser.ts";
import { animations, drawCard, films, takePictures, terminalStill } from "../fixtures/web/pictures.ts";
import { sizes } from "../fixtures/web/screen.ts";
import { filmTerminal } from "../fixtures/web/terminalFilm.ts";

const docs = join(root, "docs");
const folder = join(docs, "images");

/** Every picture of our pages, with its alternative text. */
const shown = globSync("{*.md,docs/**/*.md}", { cwd: root }).flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  const pictures = [
    ...[...text.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, alt, source]) => ({ alt, source })),
    ...[...text.matchAll(/<img\b[^>]*>/g)].map(([tag]) => ({
      alt: /\balt="([^"]*)"/.exec(tag)?.[1],
      source: /\bsrc="([^"]*)"/.exec(tag)?.[1],
    })),
    // In the dark, on a phone or without motion, with the words of the picture that they stand for.
    ...[...text.matchAll(/<picture>[\s\S]*?\balt="([^"]*)"[\s\S]*?<\/picture>/g)].flatMap(([picture, alt]) =>
      [...picture.matchAll(/srcset="([^"]+)"/g)].map(([, source]) => ({ alt, source })),
    ),
  ];
  return pictures.map(({ alt, source = "" }) => ({ page, alt, file: resolve(root, dirname(page), source) }));
});

describe("A browser, given the pictures of a page", function () {
  this.timeout(30_000);
  const browser = useBrowser();

  /** The files that a reader of a page sees. */
  async function filesOf(file: string, reader: BrowserContextOptions): Promise<string[]> {
    const pictures = readFileSync(join(root, file), "utf8").match(/<picture>[\s\S]*?<\/picture>/g) ?? [];
    const page = await browser().newPage(reader);
    await page.setContent(`<base href="http://pictures.invalid/">${pictures.join("\n")}`);
    const sources = await page.evaluate<string[]>("[...document.images].map((image) => image.currentSrc)");
    await page.close();
    return sources.map((source) => basename(source));
  }

  it("shows the animation, but a still to readers who want no motion", async () => {
    for (const [colorScheme, still] of [
      ["light", "same-person-refused.webp"],
      ["dark", "same-person-refused-dark.webp"],
    ] as const) {
      expect(await filesOf("README.md", { colorScheme })).to.include(animations[colorScheme]);
      const seen = await filesOf("README.md", { colorScheme, reducedMotion: "reduce" });
      expect(seen).to.include(still).and.not.include(animations[colorScheme]);
    }
  });

  it("shows a diagram and a refusal of their own to a phone", async () => {
    const { viewport } = sizes["a phone"];
    for (const page of ["README.md", "docs/how-it-works.md"]) {
      expect(await filesOf(page, { viewport })).to.include("flow-phone.svg");
      expect(await filesOf(page, {})).to.include("flow.svg");
    }
    const colorScheme = "dark";
    const refused = "same-person-refused";
    expect(await filesOf("docs/how-it-works.md", { viewport })).to.include(`${refused}-phone.webp`);
    expect(await filesOf("docs/how-it-works.md", { viewport, colorScheme })).to.include(
      `${refused}-phone-dark.webp`,
    );
  });
});

describe("The pictures of the pages", function () {
  this.timeout(120_000);

  if (process.env.UPDATE_PICTURES !== undefined) {
    const browser = useBrowser();
    it("are taken anew, on the way through the whole journey", () => takePictures(browser(), folder));
    it("are filmed anew, in a terminal", () =>
      filmTerminal(browser(), join(folder, films.terminal), join(folder, terminalStill))).timeout(300_000);
    it("are drawn anew, for links to the site", () => drawCard(browser(), join(docs, "public")));
  }

  it("are each shown somewhere, and say what they show; UPDATE_PICTURES=1 takes them anew", () => {
    // The site's first picture is public there, and the README shows it too.
    const files = globSync(["images/*", "public/story.svg"], { cwd: docs }).map((file) => join(docs, file));
    expect([...new Set(shown.map(({ file }) => file))].sort()).to.deep.equal(files.sort());
    for (const { page, alt, file } of shown) expect(alt, `${relative(root, file)} in ${page}`).to.match(/\w/);
  });

  /** An animation that is loaded fast. */
  async function loadFilm(file: string) {
    expect(statSync(file).size, file).to.be.below(1_000_000);
    const picture = new webp.Image();
    await picture.load(file);
    expect(picture.hasAnim, file).to.equal(true);
    return picture;
  }

  it("have a film of the verify page on a phone and one of the terminal, whose ends can be read", async () => {
    for (const [name, least] of [
      [films.verifyPage, 5],
      [films.terminal, 10],
    ] as const) {
      const { frames = [] } = await loadFilm(join(folder, name));
      expect(frames.length, name).to.be.at.least(least);
      expect(frames.at(-1)?.delay, name).to.be.at.least(3_000);
    }
  });

  it("have an animation of the journey in the README, that is loaded fast and can be read", async () => {
    for (const name of Object.values(animations)) {
      const file = join(folder, name);
      expect(shown.map(({ page, file }) => [page, file])).to.deep.include(["README.md", file]);
      const picture = await loadFilm(file);
      expect(picture.width).to.be.at.least(800);
      const { frames = [] } = picture;
      expect(frames.length).to.be.at.least(8);
      for (const { delay, x, y, width, height } of frames) {
        expect(delay).to.be.at.least(1_000);
        // Each fills the canvas.
        expect([x, y, width, height]).to.deep.equal([0, 0, picture.width, picture.height]);
      }
    }
  });
});
