// The pages' bundles, for the servers of the demo and the verify page. Server code imports no other code of web/.
import { createHash, randomUUID } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { supportedBrowsers } from "@hardhat-identity/protocol/browsers";
import { markUrl } from "@hardhat-identity/protocol/mark";

/** Folders with an `index.html`, which has the page's script and styles in it. */
export interface Bundles {
  readonly verify: string;
  readonly demo: string;
}

const pages = ["verify", "demo"] as const;
const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * The verify page and the demo app, ready to be served. The npm package has them; in a clone they are built from
 * `web/` when its sources have changed, which takes about a second.
 */
export async function findBundles(): Promise<Bundles> {
  if (!existsSync(join(root, "packages/verify-page/page/main.tsx"))) return inFolder(join(root, "web/pages"));
  const cache = join(root, "cache/web");
  const folder = join(cache, hashSources());
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    // Not a temporary folder, which only its owner can read: root may have started the clone first.
    const unfinished = join(cache, `unfinished-${randomUUID()}`);
    mkdirSync(unfinished);
    await buildBundles(unfinished);
    moveInto(folder, unfinished);
  }
  return inFolder(folder);
}

/** Builds the verify page and the demo app from a clone's `web/`. */
export async function buildBundles(folder: string): Promise<Bundles> {
  const { build } = await import("vite");
  for (const page of pages) {
    await build({
      configFile: false,
      root: join(root, "web", page),
      logLevel: "warn",
      build: {
        outDir: resolve(folder, page),
        emptyOutDir: true,
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
  }
  for (const page of pages) writeOneDocument(join(folder, page));
  return inFolder(folder);
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
  const [style, script] = [take("css"), take("js")];
  const others = globSync("assets/*", { cwd: folder });
  if (others.length > 0)
    throw new Error(`A page cannot have files beside its document: ${others.join(", ")}.`);
  rmSync(join(folder, "assets"), { recursive: true, force: true });
  const file = join(folder, "index.html");
  const built = readFileSync(file, "utf8");
  const document = built.replaceAll(/\s*<(script|link) [^>]*crossorigin[^>]*>(<\/script>)?/g, "");
  const styled = document.replace("</head>", () => `<style>${style}</style></head>`);
  writeFileSync(
    file,
    styled.replace("</body>", () => `<script type="module">${script}</script></body>`),
  );
}

const inFolder = (folder: string): Bundles => ({
  verify: join(folder, "verify"),
  demo: join(folder, "demo"),
});

function hashSources(): string {
  const hash = createHash("sha256");
  const sources = ["web", "chain", "client", "wallet", "protocol"].map((room) => `${room}/**/*.*`);
  for (const file of globSync([...sources, "package-lock.json"], { cwd: root }).sort()) {
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 16);
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
