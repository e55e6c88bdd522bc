import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect } from "chai";
import webp from "node-webpmux";
import { root } from "../fixtures/tasks/hardhat.ts";
import { useBrowser } from "../fixtures/web/browser.ts";
import { animation, takePictures } from "../fixtures/web/pictures.ts";

const folder = join(root, "docs/images");

/** Every picture that a page of ours shows, with what it says to whoever does not see it. */
const shown = globSync("{*.md,docs/**/*.md}", { cwd: root }).flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  const pictures = [
    ...[...text.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, alt, source]) => ({ alt, source })),
    ...[...text.matchAll(/<img\b[^>]*>/g)].map(([tag]) => ({
      alt: /\balt="([^"]*)"/.exec(tag)?.[1],
      source: /\bsrc="([^"]*)"/.exec(tag)?.[1],
    })),
  ];
  return pictures.map(({ alt, source = "" }) => ({ page, alt, file: resolve(root, dirname(page), source) }));
});

describe("The pictures of the pages", function () {
  this.timeout(120_000);

  if (process.env.UPDATE_PICTURES !== undefined) {
    const browser = useBrowser();
    it("are taken anew, on the way through the whole journey", () => takePictures(browser(), folder));
  }

  it("are each shown somewhere, and say what they show; UPDATE_PICTURES=1 takes them anew", () => {
    const files = globSync("*", { cwd: folder }).map((file) => join(folder, file));
    expect([...new Set(shown.map(({ file }) => file))].sort()).to.deep.equal(files.sort());
    for (const { page, alt, file } of shown) expect(alt, `${relative(root, file)} in ${page}`).to.match(/\w/);
  });

  it("have an animation of the journey in the README, that is loaded fast and can be read", async () => {
    const file = join(folder, animation);
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
  });
});
