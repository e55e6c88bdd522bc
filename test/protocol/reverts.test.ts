import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { Interface } from "ethers";
import { describeRevert, revertMeanings } from "../../protocol/reverts.ts";

const contracts = join(import.meta.dirname, "../../contracts");
const sources = globSync(["*.sol", "examples/*.sol", "interfaces/*.sol"], { cwd: contracts });

/** What Solidity declares, written as ethers writes it. */
const format = (declaration: string) => Interface.from([declaration]).fragments[0]?.format("full") ?? "";

/** The errors that the registry, the consumer bases and the examples declare; those of libraries are not ours. */
const declared = sources.flatMap((file) =>
  [...readFileSync(join(contracts, file), "utf8").matchAll(/^ *(error \w+\([^)]*\));/gm)].map(
    ([, declaration = ""]) => format(declaration),
  ),
);

describe("The meanings of reverts", () => {
  it("has a meaning for every error that the contracts declare, and for no other", () => {
    expect(Object.keys(revertMeanings)).to.have.members([...new Set(declared)]);
  });
});

describe("describeRevert", () => {
  const encode = (declaration: string, ...values: unknown[]) => {
    const name = declaration.split(/[ (]/)[1] ?? "";
    return new Interface([declaration]).encodeErrorResult(name, values);
  };
  const signer = "0x0Ea4a128DE38ab08bf01af2051A023ec28Ec447e";

  it("tells a revert in Solidity's words, and what they mean", () => {
    expect(
      describeRevert(encode("error VerificationExpired(uint40 expiration)", 1_700_000_000)),
    ).to.deep.equal({
      text: "VerificationExpired(1700000000)",
      meaning:
        "The verification expired at 2023-11-14T22:13:20.000Z by the chain's clock. Request a new one.",
    });
    expect(describeRevert(encode("error AlreadyVoted()")).text).to.equal("AlreadyVoted()");
    const paced = encode("error PaceExceeded(uint256 retryAt)", 1_700_000_000);
    expect(describeRevert(paced).meaning).to.match(/ Try again at 2023-11-14T22:13:20\.000Z\.$/);
    const short = encode("error InsufficientBalance(uint256 balance, uint256 amount)", 5, 9);
    expect(describeRevert(short).meaning).to.equal("The wallet asks for 9, and has 5 in the vault.");
  });

  it("names the registry that refused, where it is known", () => {
    const data = encode("error NotSigner(address signer)", signer);
    const start = `The signature recovers to ${signer}, which is not on the allowlist of`;
    expect(describeRevert(data).meaning).to.include(`${start} the registry.`);
    expect(describeRevert(data, { registry: "0x12" }).meaning).to.include(`${start} 0x12.`);
  });

  it("has a meaning for every revert, whatever its arguments", () => {
    for (const declaration of Object.keys(revertMeanings)) {
      const [error] = new Interface([declaration]).fragments;
      const values = error?.inputs.map(({ type }) =>
        type === "address" ? signer : type === "bytes32" ? `0x${"ab".repeat(32)}` : 7,
      );
      const { text, meaning } = describeRevert(encode(declaration, ...(values ?? [])));
      expect(`error ${text}`).to.match(new RegExp(`^${declaration.split("(")[0]}\\(`));
      expect(meaning).to.match(/\.$/).and.not.include("undefined");
    }
  });

  it("keeps the meaning of an error that a consumer's own ABI has as well", () => {
    const declaration = "error NotSigner(address signer)";
    const data = encode(declaration, signer);
    expect(describeRevert(data, { abis: [[declaration]] })).to.deep.equal(describeRevert(data));
  });

  it("explains no revert by another", () => {
    for (const [declaration, words] of [
      ["error InvalidSignature()", "no signer can be recovered"],
      ["error SignerAlreadyAdded(address signer)", `${signer} is on the allowlist already`],
      ["error SignerNotFound(address signer)", `${signer} is not on the allowlist`],
    ] as const) {
      const values = declaration.endsWith("()") ? [] : [signer];
      expect(describeRevert(encode(declaration, ...values)).meaning).to.include(words);
    }
  });

  it("tells errors of other contracts, and Solidity's own, without a meaning", () => {
    const declaration = "error Full(uint256 seats, string room)";
    const abis = [["error Other()"], [declaration]];
    expect(describeRevert(encode(declaration, 30, "hall"), { abis })).to.deep.equal({
      text: 'Full(30, "hall")',
      meaning: undefined,
    });
    const reason = encode("error Error(string reason)", "too late");
    expect(describeRevert(reason)).to.deep.equal({ text: 'Error("too late")', meaning: undefined });
  });

  it("shows a revert that nobody knows as it is", () => {
    expect(describeRevert("0x")).to.deep.equal({ text: "a revert without a reason", meaning: undefined });
    for (const data of [
      "0x12",
      "0x12345678",
      `${encode("error NotSigner(address signer)", signer)}00`.slice(0, 20),
    ]) {
      expect(describeRevert(data)).to.deep.equal({ text: data, meaning: undefined });
    }
  });
});
