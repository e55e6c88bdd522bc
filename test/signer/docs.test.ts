import { readFileSync } from "node:fs";
import { expect } from "chai";
import { serviceErrors, verifyPageErrors } from "../../packages/protocol/errors.ts";
import { ServiceError } from "../../signer/internal/errors/serviceError.ts";
import { readSnippets } from "../fixtures/markdown.ts";

function snippet(file: string, language: string): string {
  const found = readSnippets(`docs/${file}`).find((each) => each.language === language);
  if (found === undefined) throw new Error(`docs/${file} has no block of ${language}.`);
  return found.text;
}

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
