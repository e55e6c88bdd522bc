import { expect } from "chai";
import { IdentityError } from "../../packages/client/index.ts";

describe("An IdentityError", () => {
  it("is recognized by another copy of the library, and nothing else is", async () => {
    const other: typeof import("../../packages/client/identityError.ts") = await import(
      `../../packages/client/identityError.ts?${"copy"}`
    );
    const error = new other.IdentityError("client_wrong_chain", "The wallet is on another chain.");
    expect(other.IdentityError).to.not.equal(IdentityError);
    expect(error instanceof IdentityError).to.equal(true);
    const named = Object.assign(new Error("No."), { name: "IdentityError" });
    for (const value of [
      named,
      new Error("No."),
      { code: "client_wrong_chain", action: "show" },
      null,
      undefined,
      "No.",
    ]) {
      expect(value instanceof IdentityError).to.equal(false);
    }
  });

  it("is not one of a subclass unless it was made as one", () => {
    class OwnError extends IdentityError {}
    expect(new IdentityError("client_reverted", "No.") instanceof OwnError).to.equal(false);
    expect(new OwnError("client_reverted", "No.") instanceof OwnError).to.equal(true);
    expect(new OwnError("client_reverted", "No.") instanceof IdentityError).to.equal(true);
  });
});
