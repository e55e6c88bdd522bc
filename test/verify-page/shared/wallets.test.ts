import { expect } from "chai";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { replace } from "../../fixtures/replace.ts";

// In a variable, so that the compiler does not follow the import: it checks tests without a browser's types.
const file = "../../../packages/verify-page/shared/wallets.ts";
const { startingAccount, watchWallets } = await import(file);

interface Listed {
  readonly id: string;
  readonly icon: string | undefined;
}

const connection = () => ({ request: async () => [] });

describe("The wallets that a page finds", () => {
  /** A page that watches, with a wallet at `window.ethereum` or none. */
  function fixture(ethereum?: object) {
    const page = Object.assign(new EventTarget(), { ethereum });
    replace(globalThis as { window?: object }, "window", page);
    let listed: readonly Listed[] = [];
    onCleanup(
      watchWallets((wallets: readonly Listed[]) => {
        listed = wallets;
      }),
    );
    return {
      ids: () => listed.map(({ id }) => id),
      icons: () => listed.map(({ icon }) => icon),
      announce(uuid: string, provider: object, rdns = `com.example.${uuid}`, icon?: string) {
        const detail = { info: { uuid, name: uuid, rdns, icon }, provider };
        page.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
      },
    };
  }

  it("are each listed once, also when one announces itself again, by another id or with another connection", () => {
    const { announce, ids } = fixture();
    const one = connection();
    announce("one", one);
    announce("two", connection());
    expect(ids()).to.deep.equal(["one", "two"]);
    announce("one", one);
    announce("another one", one);
    expect(ids()).to.deep.equal(["two", "another one"]);
    announce("two", connection());
    expect(ids()).to.deep.equal(["another one", "two"]);
  });

  it("have icons that are data URLs of pictures, white space before them or not, and no others", () => {
    const { announce, icons } = fixture();
    const picture = "data:image/svg+xml;base64,PHN2Zy8+";
    const shown = [picture, `\n${picture}`, picture.replace("data:image", "DATA:IMAGE")];
    const others = ["https://example.com/icon.svg", "data:text/html,", "javascript:'data:image/'", ""];
    for (const [i, icon] of [...shown, ...others].entries())
      announce(`wallet ${i}`, connection(), undefined, icon);
    expect(icons()).to.deep.equal([...shown, ...others.map(() => undefined)]);
  });

  it("are the one at window.ethereum where no other is, or none but the development wallet", () => {
    const injected = connection();
    const { announce, ids } = fixture(injected);
    expect(ids()).to.deep.equal(["window.ethereum"]);
    announce("development", connection(), "localhost.hardhat-identity");
    expect(ids()).to.deep.equal(["window.ethereum", "development"]);
    announce("one", connection());
    expect(ids()).to.deep.equal(["development", "one"]);
  });

  it("are not listed once more where the development wallet is at window.ethereum, too", () => {
    const wallet = connection();
    const { announce, ids } = fixture(wallet);
    announce("development", wallet, "localhost.hardhat-identity");
    expect(ids()).to.deep.equal(["development"]);
  });

  it("offer the account that an app asks for, or else the development wallet's second and another's first", () => {
    const [first, second] = ["0x1", "0x2"];
    for (const [isDevelopment, accounts, asked, offered] of [
      [true, [first, second], undefined, second],
      [true, [first], undefined, first],
      [true, [first, second], first, first],
      [false, [first, second], undefined, first],
      [false, [first, second], second, second],
      [false, [first], second, first],
      [false, [], undefined, undefined],
    ] as const) {
      expect(startingAccount({ isDevelopment }, accounts, asked)).to.equal(offered);
    }
  });
});
