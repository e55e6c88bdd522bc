import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { computeAddress, getBytes, keccak256, SigningKey, toBeHex } from "ethers";
import type { Hex } from "../../../packages/protocol/hex.ts";
import { type CurveTask, openCurveIn } from "../../fixtures/signer/openCurveIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { skip } from "../../fixtures/skip.ts";
import { root } from "../../fixtures/tasks/hardhat.ts";

const hasNative = existsSync(
  join(root, "node_modules/secp256k1/prebuilds", `${process.platform}-${process.arch}`),
);
/** An architecture for which there is no prebuilt file. */
const abacus = { npm_config_arch: "abacus" };

const key = new SigningKey(keccak256("0x01"));
const digests = Array.from({ length: 20 }, (_, i) => keccak256(toBeHex(i, 32)) as Hex);
const right = {
  signed: digests.map((digest) => key.sign(digest).serialized),
  signers: digests.map(() => computeAddress(key).toLowerCase()),
};

describe("The curve's code", () => {
  /** Opens the curve in a thread, which must answer rightly, whatever it took, without `elliptic`. */
  async function open(task: Partial<CurveTask> = {}, env: Record<string, string> = {}) {
    const report = await openCurveIn({ digests, privateKey: getBytes(key.privateKey), ...task }, env);
    const { loaded, signed, signers, ...choice } = report;
    expect({ signed, signers }).to.deep.equal(right);
    expect(loaded).not.to.be.empty;
    expect(loaded.filter((file) => /elliptic|secp256k1\/index\.js$/.test(file))).to.deep.equal([]);
    return { ...choice, isNativeLoaded: loaded.some((file) => file.endsWith(".node")) };
  }

  const portable = { name: "portable", isNativeLoaded: false };

  it("is native where there is a prebuilt file for the machine", async () => {
    const native = { name: "native", isNativeLoaded: true };
    expect(await open()).to.deep.equal(hasNative ? native : portable);
  });

  it("is portable where there is no prebuilt file", async () => {
    expect(await open({}, abacus)).to.deep.equal(portable);
  });

  it("is portable where native code errs", async function () {
    if (!hasNative) skip(this, "there is no native code for this machine", "linux-x64");
    for (const wrongly of ["signs", "recovers"] as const) {
      expect(await open({ wrongly })).to.deep.equal({ ...portable, isNativeLoaded: true });
    }
  });

  it("is named in a service's log", async () => {
    const { service } = await startStack();
    const lines = service.log.map((line) => JSON.parse(line));
    const [listening, ...others] = lines.filter(({ msg }) => msg === "listening");
    expect(others).to.deep.equal([]);
    expect(listening).to.include({ curve: hasNative ? "native" : "portable", signer: service.signer });
  });
});
