import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect } from "chai";
import webp from "node-webpmux";
import { root } from "../fixtures/tasks/hardhat.ts";
import { useBrowser } from "../fixtures/web/browser.ts";
import { animations, drawCard, takePictures } from "../fixtures/web/pictures.ts";

const docs = join(root, "docs");
const folder = join(docs, "images");

/** Every picture that a page of ours shows, with what it says to whoever does not see it. */
const shown = globSync("{*.md,docs/**/*.md}", { cwd: root }).flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  const pictures = [
    ...[...text.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, alt, source]) => ({ alt, source })),
    ...[...text.matchAll(/<img\b[^>]*>/g)].map(([tag]) => ({
      alt: /\balt="([^"]*)"/.exec(tag)?.[1],
      source: /\bsrc="([^"]*)"/.exec(tag)?.[1],
    })),
    // For a page in the dark, with the words of the picture that it stands for.
    ...[...text.matchAll(/srcset="([^"]+)">\s*<img\b[^>]*\balt="([^"]*)"/g)].map(([, source, alt]) => ({
      alt,
      source,
    })),
  ];
  return pictures.map(({ alt, source = "" }) => ({ page, alt, file: resolve(root, dirname(page), source) }));
});

describe("The pictures of the pages", function () {
  this.timeout(120_000);

  if (process.env.UPDATE_PICTURES !== undefined) {
    const browser = useBrowser();
    it("are taken anew, on the way through the whole journey", () => takePictures(browser(), folder));
    it("are drawn anew, for links to the site", () => drawCard(browser(), join(docs, "public")));
  }

  it("are each shown somewhere, and say what they show; UPDATE_PICTURES=1 takes them anew", () => {
    // The site's first picture is public there, and the README shows it too.
    const files = globSync(["images/*", "public/story.svg"], { cwd: docs }).map((file) => join(docs, file));
    expect([...new Set(shown.map(({ file }) => file))].sort()).to.deep.equal(files.sort());
    for (const { page, alt, file } of shown) expect(alt, `${relative(root, file)} in ${page}`).to.match(/\w/);
  });

  it("have an animation of the journey in the README, that is loaded fast and can be read", async () => {
    for (const name of Object.values(animations)) {
      const file = join(folder, name);
      expect(shown.map(({ page, file }) => [page, file])).to.deep.include(["README.md", file]);
      expect(statSync(file).size).to.be.below(1_000_000);
      const picture = new webp.Image();
      await picture.load(file);
      expect(picture.hasAnim).to.equal(true);
      expect(picture.width).to.be.at.least(800);
      const { frames = [] } = picture;
      expect(frames.length).to.be.at.least(10);
      for (const { delay, x, y, width, height } of frames) {
        expect(delay).to.be.at.least(1_000);
        // Each fills the canvas.
        expect([x, y, width, height]).to.deep.equal([0, 0, picture.width, picture.height]);
      }
    }
  });
});
