import { hkdfSync } from "node:crypto";
import { expect } from "chai";
import { getBytes } from "ethers";
import { deriveKey, keyId } from "../../packages/protocol/keys.ts";

describe("keyId", () => {
  it("derives a key's id from the key, by a label of its own", () => {
    const key = deriveKey(getBytes(`0x${"5e".repeat(32)}`), "credential");
    const byHand = Buffer.from(hkdfSync("sha256", key, "", "hardhat-identity/key-id/v1", 4));
    expect(keyId(key)).to.equal(byHand.toString("hex"));
    expect(keyId(key)).to.match(/^[0-9a-f]{8}$/);
  });
});
