import { expect } from "chai";
import { hasResetBug } from "../../../packages/store/database/resetBug.ts";

describe("SQLite's bug of a log that begins anew while it is written into the file", () => {
  it("is in all versions up to 3.51.2, except for the two older lines that were repaired", () => {
    const affected = ["3.7.0", "3.44.5", "3.47.2", "3.50.6", "3.51.2"];
    const repaired = ["3.44.6", "3.50.7", "3.50.8", "3.51.3", "3.52.0", "3.53.4", "4.0.0"];
    expect([...affected, ...repaired].filter(hasResetBug)).to.deep.equal(affected);
  });

  it("is not in the SQLite of the Node that this repository pins", () => {
    expect(hasResetBug(), process.versions.sqlite).to.equal(false);
  });
});
