import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { readBatch } from "../../tasks/internal/wallet/readBatch.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("The batch that options describe", () => {
  const single = { to: undefined, value: undefined, data: undefined, gasLimit: undefined };
  const none = { ...single, file: undefined, id: undefined, atomic: undefined };
  const to = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

  it("has one call with an amount of zero by default", () => {
    expect(readBatch({ ...none, to })).to.deep.equal({ calls: [{ to, value: "0x0" }] });
    const call = { to, value: "9007199254740993", data: "0x12", gasLimit: "0x5208" };
    const capabilities = { gasLimitOverride: { value: "0x5208" } };
    expect(readBatch({ ...none, ...call, id: "0x01", atomic: "false" })).to.deep.equal({
      calls: [{ to, value: "0x20000000000001", data: "0x12", capabilities }],
      id: "0x01",
      atomicRequired: false,
    });
  });

  it("is read from a file that begins with a byte order mark", async () => {
    const file = join(await temporaryFolder(), "calls.json");
    await writeFile(file, `\ufeff[{ "to": "${to}" }]`);
    expect(readBatch({ ...none, file })).to.deep.equal({ calls: [{ to }] });
  });

  it("is read from a file in UTF-16, as Windows PowerShell writes one", async () => {
    const file = join(await temporaryFolder(), "calls.json");
    await writeFile(file, `\ufeff[{ "to": "${to}" }]`, "utf16le");
    expect(readBatch({ ...none, file })).to.deep.equal({ calls: [{ to }] });
  });

  for (const option of ["to", "value", "data", "gasLimit"]) {
    it(`is refused if both a file and ${option} are given`, () => {
      expect(() => readBatch({ ...none, file: "calls.json", [option]: "0x12" })).to.throw(
        "--file contains the calls; --to, --value, --data and --gas-limit describe a single call without it.",
      );
    });
  }
});
