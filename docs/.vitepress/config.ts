import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { defineConfig, type HeadConfig } from "vitepress";
import { addPlainContent } from "../../packages/verify-page/bundle.ts";
import { pages } from "./pages.ts";

const repository = "https://github.com/hardhat-identity/hardhat-identity";
/** Absolute, as those who show it require, wherever the site is. */
const card = "https://raw.githubusercontent.com/hardhat-identity/hardhat-identity/main/docs/public/card.png";

/** Pages that are a file of the repository's top. */
const included: Readonly<Record<string, string>> = { "security.md": "SECURITY.md" };

/** The top navigation, and the groups of the sidebar to which each word leads. */
const menu: Readonly<Record<string, readonly string[]>> = {
  Docs: ["Guide", "Contracts", "CI", "Apps"],
  Operators: ["Operators", "Runbooks"],
  Trust: ["Trust"],
  Reference: ["Reference"],
};

/** The theme's styles for what the site does not have. A phone would wait for them. */
const unused =
  /@docsearch\/css|\/(VP(Hero|Features?|Team\w*|\w*Sponsors\w*|CarbonAds)\.vue\?.*type=style|vp-sponsor\.css)/;

export default defineConfig({
  title: "hardhat-identity",
  description: "One real-world identity counts once: verifications for smart contracts, self-hosted.",
  lang: "en",
  cleanUrls: true,
  // By default, each load styles the whole page twice more, and waits for it.
  appearance: { disableTransition: false },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === "playable-story" } } },
  vite: {
    // The theme's layout gets our sidebar, which imports the theme's by another name.
    resolve: {
      alias: [
        {
          find: /^\.\/components\/VPSidebar\.vue$/,
          replacement: join(import.meta.dirname, "theme/sidebar.ts"),
        },
      ],
    },
    plugins: [{ name: "unused-styles", enforce: "pre", load: (id) => (unused.test(id) ? "" : undefined) }],
  },
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: "/mark.svg" }],
    ["meta", { property: "og:image", content: card }],
    ["meta", { property: "og:image:width", content: "1200" }],
    ["meta", { property: "og:image:height", content: "630" }],
    ["meta", { property: "og:image:alt", content: "hardhat-identity: one person counts once" }],
    ["meta", { name: "twitter:card", content: "summary_large_image" }],
  ],
  // Every function and event of a contract would be a line of it.
  transformPageData: ({ relativePath, frontmatter }) =>
    relativePath === "reference/contracts.md" ? { frontmatter: { ...frontmatter, outline: 2 } } : undefined,
  transformHead: ({ title, description, assets }) => [
    ...assets
      .filter((file) => file.endsWith(".woff2"))
      .map(
        (href): HeadConfig => [
          "link",
          { rel: "preload", href, as: "font", type: "font/woff2", crossorigin: "" },
        ],
      ),
    ["meta", { property: "og:title", content: title }],
    ["meta", { property: "og:description", content: description }],
  ],
  themeConfig: {
    search: {
      provider: "local",
      options: {
        // Ten results with the same title look alike without their text.
        detailedView: true,
        miniSearch: {
          // A name is found by its parts, too: "expired" by `VerificationExpired`.
          options: {
            tokenize: (text: string) =>
              text
                .split(/[\n\r\p{Z}\p{P}]+/u)
                // Words of a question that say nothing of its answer.
                .filter((word) => !/^(a|an|the|is|are|it|of|to|in|do|does|i|my|what|how)$/i.test(word))
                .flatMap((word) => [
                  word,
                  ...word.split(/(?<=[a-z])(?=[A-Z])/).filter((part) => part !== word),
                ]),
          },
          searchOptions: {
            // A short word is another one soon: cost, lost, most.
            fuzzy: (term: string) => (term.length > 5 ? 0.2 : false),
            boostDocument: (id: string, _word: string, stored?: { readonly titles?: readonly string[] }) => {
              // Every symbol of the API reference is a heading: the guides that explain it come first.
              // The first page repeats the words of all others.
              const weight = id.includes("/reference/")
                ? 0.3
                : /^\/(index)?(\.html)?(#|$)/.test(id)
                  ? 0.2
                  : 1;
              // The title of a page has no heading above it.
              return stored?.titles?.length === 0 ? 2 * weight : weight;
            },
          },
        },
      },
    },
    outline: [2, 3],
    logo: { src: "/mark.svg", width: 24, height: 24 },
    nav: Object.entries(menu).map(([text, groups]) => {
      const links = pages.flatMap((group) => (groups.includes(group.text) ? group.items : []));
      const activeMatch = `^(${links.map(({ link }) => link).join("|")})$`;
      return { text, link: links[0]?.link ?? "/", activeMatch };
    }),
    // The first group is open, and that of the open page unfolds by itself.
    sidebar: pages.map(({ text, items }, index) => ({ text, items: [...items], collapsed: index > 0 })),
    socialLinks: [{ icon: "github", link: repository }],
    editLink: { pattern: `${repository}/edit/main/docs/:path` },
    footer: {
      message: [
        "MIT licensed",
        `<a href="${repository}">GitHub</a>`,
        `<a href="${repository}/blob/main/CHANGELOG.md">Changelog</a>`,
        '<a href="/security">Security</a>',
        '<a href="/status">Status</a>',
      ].join(" · "),
    },
  },
  markdown: {
    typographer: true,
    quotes: "“”‘’",
    // Their usual colours have too little contrast.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // As on GitHub, where the same pages are read: one link is right in both places.
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
          .replaceAll(" ", "-"),
    },
    config(md) {
      // GitHub shows the labels above the blocks; the site makes tabs of them.
      md.core.ruler.after("normalize", "tabs", (state) => {
        let groups = 0;
        state.src = state.src.replaceAll(
          /^<!-- tabs -->$([\s\S]*?)^<!-- \/tabs -->$/gm,
          (_, content: string) => {
            groups += 1;
            return writeTabs(`group-${groups}`, content);
          },
        );
      });
      // GitHub shows a list of options; the site makes a table of it, which is read faster.
      md.core.ruler.after("tabs", "options", (state) => {
        if (!/^reference\/(tasks|settings)\.md$/.test(state.env.relativePath)) return;
        state.src = state.src.replaceAll(/(?:^- `.*\n)+/gm, (list) => {
          const rows = [...list.matchAll(/^- (`[^`]+`(?:, `[^`]+`)*(?: \([^)]*\))?): (.*)$/gm)];
          if (rows.length !== list.trimEnd().split("\n").length) return list;
          const lines = rows.map(
            ([, name, meaning = ""]) => `| ${name} | ${meaning.replaceAll("|", "\\|")} |\n`,
          );
          return `<div class="options">\n\n| Name | Meaning |\n| --- | --- |\n${lines.join("")}\n</div>\n`;
        });
      });
      // The first page shows what matters of a file, and its tab says which file it is.
      md.core.ruler.after("tabs", "openings", (state) => {
        if (state.env.relativePath !== "index.md") return;
        state.src = state.src.replaceAll(/^(```\w+ .*\n)(?:\/\/ (?:contracts\/|test\/|SPDX-).*\n)+/gm, "$1");
      });
      md.core.ruler.push("repository-links", ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet("href");
          if (token.type === "link_open" && href !== null)
            token.attrSet("href", siteLink(href, env.relativePath));
        }
      });
    },
  },
  buildEnd({ outDir, srcDir }) {
    // Vite's minifier takes the plain text for a duplicate, so it is added afterwards.
    for (const file of globSync("assets/*.css", { cwd: outDir })) {
      const style = readFileSync(join(outDir, file), "utf8");
      writeFileSync(join(outDir, file), addPlainContent(style));
    }
    // For readers that are programs: every page as it was written, and an index of them (llmstxt.org).
    const files = globSync("**/*.md", { cwd: srcDir, exclude: [".vitepress/**"] });
    for (const file of files) {
      mkdirSync(dirname(join(outDir, file)), { recursive: true });
      writeFileSync(join(outDir, file), readPage(join(srcDir, file)));
    }
    const list = pages.map(({ text, items }) => {
      const lines = items.map((item) => `- [${item.text}](${item.link.slice(1)}.md): ${item.about}`);
      return `## ${text}\n\n${lines.join("\n")}\n`;
    });
    const about = readFileSync(join(srcDir, "index.md"), "utf8").match(/^tagline: (.*)$/m)?.[1];
    writeFileSync(join(outDir, "llms.txt"), `# hardhat-identity\n\n> ${about}\n\n${list.join("\n")}`);
  },
});

/** Writes a group of tabs as the theme's own are. A tab may also have text, and several blocks of code. */
function writeTabs(name: string, content: string): string {
  const [, ...parts] = content.split(/^\*\*(.+)\*\*$/m);
  const labels = parts.filter((_, i) => i % 2 === 0);
  const texts = parts.filter((_, i) => i % 2 === 1);
  if (texts.every((text) => /^```.*\n(?:(?!```).*\n)*```$/.test(text.trim()))) {
    return `::: code-group${content.replaceAll(/^\*\*(.+)\*\*\n\n+```(\w+)$/gm, "```$2 [$1]")}:::`;
  }
  const tabs = labels.map((label, i) => {
    const input = `<input type="radio" name="${name}" id="${name}-${i}"${i === 0 ? " checked" : ""}>`;
    return `${input}<label data-title="${label}" for="${name}-${i}">${label}</label>`;
  });
  const blocks = texts.map(
    (text, i) => `<div class="vp-block of-text${i === 0 ? " active" : ""}">\n${text}\n</div>\n`,
  );
  return `<div class="vp-code-group"><div class="tabs">${tabs.join("")}</div><div class="blocks">\n\n${blocks.join("\n")}\n</div></div>\n`;
}

/** A page as it was written, with the files and regions of files that it includes. */
function readPage(file: string): string {
  return readFileSync(file, "utf8").replaceAll(
    /^<!--@include: ([^#\n]+?)(?:#(\w+))?-->\n/gm,
    (_, path: string, region?: string) => {
      const text = readFileSync(join(dirname(file), path), "utf8");
      const [, part] = new RegExp(`<!-- #region ${region} -->\n\n([^]*?)\n<!-- #endregion`).exec(text) ?? [];
      return part ?? text;
    },
  );
}

/** Where a link of a page leads that is right in the repository: what is not a page of the site is on GitHub. */
function siteLink(href: string, page: string): string {
  const [, path, hash = ""] = /^(?![a-z]+:|\/)([^#]+)(#.*)?$/.exec(href) ?? [];
  if (path === undefined) return href;
  const folder = posix.dirname(included[page] ?? `docs/${page}`);
  const file = posix.join(folder, path);
  const [onSite = file] = Object.entries(included).find(([, top]) => top === file) ?? [];
  const [, link] = /^(?:docs\/)?(.*)\.md$/.exec(onSite) ?? [];
  return pages.some(({ items }) => items.some((item) => item.link === `/${link}`))
    ? `/${link}${hash}`
    : `${repository}/blob/main/${file}${hash}`;
}
