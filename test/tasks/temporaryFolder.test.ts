import { existsSync } from "node:fs";
import { expect } from "chai";
import { removeFolder, temporaryFolder } from "../../tasks/internal/temporaryFolder.ts";

describe("A folder of a stack or of a test's service", () => {
  it("adds no listener to the process, so Node does not warn about many", () => {
    const before = process.listenerCount("exit");
    for (let i = 0; i < 2; i++) {
      const folder = temporaryFolder("hardhat-identity-test-");
      expect(existsSync(folder)).to.equal(true);
      removeFolder(folder);
      expect(existsSync(folder)).to.equal(false);
    }
    expect(process.listenerCount("exit")).to.equal(before);
  });
});
