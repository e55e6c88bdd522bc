import { expect } from "chai";
import { IdentityError } from "../../packages/client/index.ts";
import { replace } from "../fixtures/replace.ts";

// In variables, so that the compiler does not follow the imports: React's types are those of a page.
const [react, server, entry] = ["react", "react-dom/server", "../../packages/client/react.ts"] as const;
const { createElement } = await import(react);
const { renderToStaticMarkup } = await import(server);
const { describeClaim, useVerification } = await import(entry);

type Send = (granted: object) => Promise<unknown>;

describe("A claim of the client's React entry, without a browser,", () => {
  const verification = {
    identityHash: `0x${"12".repeat(32)}`,
    expiration: 4_102_444_800,
    signature: `0x${"34".repeat(65)}`,
  };
  const account = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
  const consumer = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512";
  const wallet = { request: async () => `0x${"11".repeat(65)}` };

  /** Renders once: what a claim does needs no second time. */
  function renderClaim(): (send: Send) => Promise<void> {
    let found: ((send: Send) => Promise<void>) | undefined;
    const Claiming = () => {
      const options = { account, wallet, consumer, chainId: 84532, baseUrl: "https://identity.example" };
      found = useVerification(options).claim;
      return null;
    };
    renderToStaticMarkup(createElement(Claiming));
    return found ?? expect.fail("Nothing was rendered.");
  }

  beforeEach(() => {
    const page = { host: "app.example", origin: "https://app.example" };
    replace(globalThis as { location?: object }, "location", page);
    replace(globalThis, "fetch", async () => Response.json(verification));
  });

  it("is made once, however often a person presses, and again after a refusal", async () => {
    const claim = renderClaim();
    const sent: unknown[] = [];
    const refuse: Send = async (granted) => {
      sent.push(granted);
      throw new Error("No.");
    };
    await Promise.all([claim(refuse), claim(refuse)]);
    expect(sent).to.deep.equal([{ verification, wallet, account }]);
    await claim(refuse);
    expect(sent).to.have.length(2);
  });

  it("says what a person must know, and nothing while it goes well", () => {
    const reverted = (revertData: string) =>
      new IdentityError("client_reverted", "The call would revert.", { revertData });
    const unmet = new IdentityError("conditions_not_satisfied", "It has too few followers.");
    const unknown = new IdentityError("client_outcome_unknown", "The wallet did not answer.");
    const declined = new IdentityError("client_user_rejected", "The user rejected the request.");
    const told: readonly [state: object, text: string][] = [
      [{ status: "disconnected" }, ""],
      [{ status: "sending" }, ""],
      [
        { status: "needs-account", verifyUrl: "https://identity.example/verify" },
        "First prove that you have",
      ],
      [{ status: "unknown", error: unknown }, "Your claim may still go through."],
      [{ status: "needs-conditions", error: unmet }, "It has too few followers."],
      [{ status: "refused", error: declined }, "You declined in your wallet."],
      [{ status: "refused", error: reverted(`0x70d9ae05${"12".repeat(32)}`) }, "You have claimed before"],
      [{ status: "refused", error: reverted("0x12345678") }, "The call would revert."],
      [{ status: "refused", error: "no error of a class" }, "no error of a class"],
    ];
    for (const [state, text] of told) {
      const said = describeClaim(state);
      if (text === "") expect(said).to.equal("");
      else expect(said).to.match(new RegExp(`^${text}`));
    }
  });
});
