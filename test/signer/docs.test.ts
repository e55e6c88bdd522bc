import { readFileSync } from "node:fs";
import { expect } from "chai";
import { serviceErrors, verifyPageErrors } from "../../protocol/errors.ts";
import { loadConfig } from "../../signer/index.ts";
import { secretSettings, settings } from "../../signer/internal/config/settings.ts";
import { cutoffRises } from "../../signer/internal/service/policyPins.ts";
import { ServiceError } from "../../signer/internal/service/serviceError.ts";
import { readSnippets } from "../fixtures/markdown.ts";

const guide = readFileSync(new URL("../../docs/signer.md", import.meta.url), "utf8");
/** The settings that the guide lists: name, default and meaning. */
const listed = [
  ...guide.replaceAll(/\n {2}/g, " ").matchAll(/^- `(IDENTITY_\w+)`(\*?) \((.+?)\): (.+)$/gm),
].map(([, name = "", star, value = "", meaning = ""]) => ({ name, isSecret: star === "*", value, meaning }));

function snippet(file: string, language: string): string {
  const found = readSnippets(`docs/${file}`).find((each) => each.language === language);
  if (found === undefined) throw new Error(`docs/${file} has no block of ${language}.`);
  return found.text;
}

const plain = (text: string) => text.replaceAll("`", "");

describe("docs/errors/service.md", () => {
  it("lists every error that the service can answer, with its status, and no other", () => {
    const page = readFileSync(new URL("../../docs/errors/service.md", import.meta.url), "utf8");
    const documented = [...page.matchAll(/^### `(\w+)`\n\n(\d+):/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ]);
    const known = Object.entries({ ...serviceErrors, ...verifyPageErrors }).map(([code, { status }]) => [
      code,
      status,
    ]);
    expect(documented).to.have.deep.members(known);
  });

  it("shows a problem as the service answers it", () => {
    const problem = JSON.parse(snippet("errors/service.md", "json"));
    expect(problem.code).to.equal("needs_reauth");
    const { code, detail, verifyUrl } = problem;
    expect(new ServiceError(code, detail, { verifyUrl }).toProblem()).to.deep.equal(problem);
  });
});

describe("docs/signer.md", () => {
  it("lists every setting with its default and what it is, and no other", () => {
    const known = Object.entries(settings);
    expect(listed.map(({ name }) => name)).to.deep.equal(known.map(([name]) => name));
    for (const [index, [name, { default: byDefault, what }]] of known.entries()) {
      const { value = "", meaning = "" } = listed[index] ?? {};
      expect(plain(value), name).to.equal(byDefault || "required");
      expect(plain(meaning).startsWith(what), `${name}: ${meaning}`).to.equal(true);
    }
  });

  it("tells defaults that mean the same when they are set", () => {
    const required = { IDENTITY_RPC_URL: "http://127.0.0.1:8545", IDENTITY_REGISTRY: `0x${"12".repeat(20)}` };
    const byDefault = loadConfig(required);
    let literal = 0;
    for (const { name, value } of listed) {
      const [, text] = /^`([^/`]+)`$/.exec(value) ?? [];
      if (text === undefined) continue;
      literal++;
      expect(loadConfig({ ...required, [name]: text }), name).to.deep.equal(byDefault);
    }
    expect(literal).to.equal(16);
  });

  it("marks the secrets, which files can hold, and says how often a cutoff may rise", () => {
    const starred = listed.filter(({ isSecret }) => isSecret).map(({ name }) => name);
    expect(starred).to.deep.equal(secretSettings);
    expect(cutoffRises).to.deep.equal({ atMost: 4, within: 24 * 60 * 60 });
    expect(guide.replace(/\s+/g, " ")).to.include("rose more than four times in 24 hours");
  });

  it("names only variables that there are in its example", () => {
    const names = [...snippet("signer.md", "sh").matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect(names).to.include("IDENTITY_REGISTRY");
    expect(settings).to.include.keys(names);
  });
});
