import { readFileSync } from "node:fs";
import { expect } from "chai";
import { serviceErrors, verifyPageErrors } from "../../packages/protocol/errors.ts";

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
});
