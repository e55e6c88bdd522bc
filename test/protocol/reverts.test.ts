import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { Interface } from "ethers";
import { describeRevert, revertMeanings } from "../../packages/protocol/reverts.ts";

const contracts = join(import.meta.dirname, "../../contracts");
const sources = globSync(["*.sol", "examples/*.sol", "interfaces/*.sol"], { cwd: contracts });

/** A Solidity declaration in ethers' format. */
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

  it("names the registry that refused, where it is known", () => {
    const data = encode("error NotSigner(address signer)", signer);
    const start = `The signature recovers to ${signer}, which is not on the allowlist of`;
    expect(describeRevert(data, { registry: "0x12" }).meaning).to.include(`${start} 0x12.`);
  });

  it("says of a pace that admits nobody ever again what it is", () => {
    const never = encode("error PaceExceeded(uint256 retryAt)", 2n ** 64n - 1n);
    expect(describeRevert(never).meaning).to.equal(
      "The contract has admitted as many people as it ever will.",
    );
  });

  it("has its own meaning for every revert", () => {
    const again = "from this wallet or another one.";
    const meanings: Readonly<Record<string, string>> = {
      VerificationExpired:
        "The verification expired at 1970-01-01T00:00:07.000Z by the chain's clock. Request a new one.",
      InvalidSignature:
        "The signature is not a canonical 65-byte signature (r, low s, v of 27 or 28), so no signer can be recovered.",
      NotSigner:
        `The signature recovers to ${signer}, which is not on the allowlist of the registry. Either that signer was removed or never added, ` +
        "or the verification was made for another user, identity, expiration, consumer, policy, registry or chain: then the recovered address is one that nobody knows.",
      PolicyNotFound: `The contract ${signer} does not answer provider() and conditions().`,
      ZeroSigner: "The zero address cannot be a signer.",
      SignerAlreadyAdded: `${signer} is already on the allowlist.`,
      SignerNotFound: `${signer} is not on the allowlist.`,
      OwnershipCannotBeRenounced:
        "The registry keeps an owner: without one, a signer whose key leaked could never be removed.",
      InvalidRegistry: `There is no SignerRegistry at ${signer} on this chain.`,
      IdentityAlreadyUsed: `This person has already taken part, ${again}`,
      AlreadyEnrolled: `This person has already enrolled, ${again}`,
      AlreadyVoted: `This person has already voted on this proposal, ${again}`,
      ProposalNotFound: "The ballot has no proposal 7.",
      PaceExceeded:
        "The contract has admitted as many people as it allows for now. Try again at 1970-01-01T00:00:07.000Z.",
      PaceWithoutWindow:
        "The contract's pace() returns a window of 0 seconds, so it admits nobody. Only its developer can correct that.",
      NoProofs: "An airdrop without a proof would pay everyone: name at least one proof.",
      NotProven: `The wallet has not proven an account at ${signer}; prove() does.`,
      AlreadyClaimed: `${signer} has already claimed.`,
      NoPosition: `${signer} has no position in the vault; deposit() opens one.`,
      InsufficientBalance: "The wallet asks for 9, and has 7 in the vault.",
      SlotNotFound: "A person has no slot 7: use one below AGENTS_PER_PERSON, from 0.",
      NotBacker: `${signer} does not back ${signer}; back() does.`,
      TargetOnly: "Only the policy's target, which its owner sets, can ask it.",
      ZeroTarget: "The target is the zero address; give the contract that asks the policy.",
      TargetAlreadySet: "The policy already has a target, and keeps it.",
    };
    for (const declaration of Object.keys(revertMeanings)) {
      const [error] = new Interface([declaration]).fragments;
      const values = error?.inputs.map(({ type }, i) =>
        type === "address" ? signer : type === "bytes32" ? `0x${"ab".repeat(32)}` : 7 + 2 * i,
      );
      const name = declaration.slice("error ".length, declaration.indexOf("("));
      expect(describeRevert(encode(declaration, ...(values ?? [])))).to.deep.equal({
        text: `${name}(${values?.join(", ")})`,
        meaning: meanings[name],
      });
    }
  });

  it("keeps the meaning of an error that a consumer's own ABI has as well", () => {
    const declaration = "error NotSigner(address signer)";
    const data = encode(declaration, signer);
    expect(describeRevert(data, { abis: [[declaration]] })).to.deep.equal(describeRevert(data));
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
