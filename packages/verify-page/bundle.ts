// Builds a page into one document.
import { createHash, randomUUID } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { supportedBrowsers } from "@hardhat-identity/protocol/browsers";
import { markUrl } from "./content/mark.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Finds the verify page, as {@link findBundle} does. */
export const findVerifyPage = (): Promise<string> =>
  findBundle(fileURLToPath(new URL("./page/", import.meta.url)));

/**
 * Finds a page that is ready to be served: a folder with an `index.html`, which has the page's script and styles in it.
 * A package has it in place of the page's sources. In a clone it is built when the sources have changed, which takes
 * about a second.
 *
 * @param page Folder of the page.
 */
export async function findBundle(page: string): Promise<string> {
  if (!existsSync(join(page, "main.tsx"))) return page;
  const cache = join(root, "cache/web");
  const folder = join(cache, hashSources(page));
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    // Not a temporary folder, which only its owner can read: root may have started the clone first.
    const unfinished = join(cache, `unfinished-${randomUUID()}`);
    mkdirSync(unfinished);
    await buildBundle(page, unfinished);
    moveInto(folder, unfinished);
  }
  return folder;
}

/** Builds a page from its sources into a folder. */
export async function buildBundle(page: string, folder: string): Promise<void> {
  const { build } = await import("vite");
  await build({
    configFile: false,
    root: page,
    logLevel: "warn",
    build: {
      outDir: resolve(folder),
      emptyOutDir: false,
      target: supportedBrowsers,
      // A data URL in a style sheet would be outside its Content-Security-Policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { output: { codeSplitting: false } },
    },
    plugins: [{ name: "mark", transformIndexHtml: (html) => html.replaceAll("%MARK%", markUrl) }],
    // Not even where `NODE_ENV` says "test": what is built there is what `npm start` serves.
    oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
  });
  writeOneDocument(folder);
}

/**
 * Moves a page's script and style into its document: a visit is one answer then, which is complete even while the
 * replicas behind a proxy run two releases.
 */
function writeOneDocument(folder: string): void {
  const take = (kind: "js" | "css") => {
    const files = globSync(`assets/*.${kind}`, { cwd: folder });
    const content = files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n");
    for (const file of files) rmSync(join(folder, file));
    // Text in it neither ends its element nor begins a comment.
    return content.replaceAll(/<(?=\/(script|style)|!--)/gi, "<\\");
  };
  const [style, script] = [addPlainContent(take("css")), take("js")];
  const others = globSync("assets/*", { cwd: folder });
  if (others.length > 0)
    throw new Error(`A page cannot have files beside its document: ${others.join(", ")}.`);
  rmSync(join(folder, "assets"), { recursive: true, force: true });
  const file = join(folder, "index.html");
  const built = readFileSync(file, "utf8");
  const document = built
    .replaceAll(/\s*<(script|link) [^>]*crossorigin[^>]*>(<\/script>)?/g, "")
    // A placeholder is a comment without a space.
    .replaceAll(/\s*<!-- .*? -->/g, "")
    .replaceAll(/\n\s+/g, "\n");
  const styled = document.replace("</head>", () => `<style>${style}</style></head>`);
  writeFileSync(
    file,
    styled.replace("</body>", () => `<script type="module">${script}</script></body>`),
  );
}

/** Adds each text without its alternative for screen readers, of which older browsers know nothing: they show no text then. */
export const addPlainContent = (style: string): string =>
  style.replaceAll(
    /content:\s*("[^"]*"|counter\(\w+\))\s*\/\s*""/g,
    (whole, text) => `content:${text};${whole}`,
  );

function hashSources(page: string): string {
  const hash = createHash("sha256");
  const shared = ["verify-page/{content,page,shared}", "client", "wallet", "protocol"].map(
    (name) => `packages/${name}/**/*.*`,
  );
  const sources = [`${relative(root, page)}/**/*.*`].concat(
    shared,
    "packages/verify-page/bundle.ts",
    "package-lock.json",
  );
  for (const file of globSync(sources, { cwd: root }).sort()) {
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return `${basename(page)}-${hash.digest("hex").slice(0, 16)}`;
}

function moveInto(folder: string, unfinished: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process was faster.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
