import { expect } from "chai";
import { arriveAt, press } from "../../fixtures/web/screen.ts";
import { hold } from "../../fixtures/web/slowLine.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";
import { expectWholeScreen } from "../../fixtures/web/wholeScreen.ts";

// cspell:ignore Cuenta monedero
describe("The accounts on the verify page", function () {
  this.timeout(60_000);
  const { openFor, pickAlice, setCredential, signIn, stack } = useVerifyPage();

  it("puts the focus where a person goes on after deleting, and after not deleting", async () => {
    const { page, person, wallet } = await openFor();
    await setCredential(wallet.address);
    const focused = () => page.evaluate<string>("document.activeElement?.textContent ?? ''");
    person.accounts = [wallet.address];
    await signIn(person, `${stack().service.url}/verify`);
    await press(page, "Delete");
    expect(await focused()).to.match(/^We delete it from this service at once/);
    await press(page, "Keep it");
    expect(await focused()).to.equal("Delete");
    await press(page, "Delete");
    const erase = await hold(page, "**/verify/erase");
    await press(page, "Delete it for good");
    await expectWholeScreen(page, "verify-deleting");
    erase();
    await page.getByText("is deleted here for good").waitFor();
    expect(await focused()).to.match(/^Your Microblog .* is deleted here for good/);
  });

  it("says no longer what was done when it asks whether to delete an account", async () => {
    const { page, person, wallet } = await openFor();
    person.accounts = [wallet.address];
    await signIn(person, `${stack().service.url}/verify`);
    await press(page, /^Microblog/);
    await pickAlice(page);
    await press(page, "Store it");
    await page.getByText("account is stored.").waitFor();
    const isSaid = page.evaluate<boolean>(`(async () => {
      [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Delete").click();
      // A click's changes are there before the next frame.
      await new Promise((resolve) => setTimeout(resolve));
      return document.body.innerText.includes("account is stored.");
    })()`);
    expect(await isSaid).to.equal(false);
    await page.getByText("We delete it from this service at once").waitFor();
  });

  it("does not offer to keep an account while it is being deleted", async () => {
    const { page, person, wallet } = await openFor();
    await setCredential(wallet.address);
    person.accounts = [wallet.address];
    await signIn(person, `${stack().service.url}/verify`);
    await press(page, "Delete");
    const erase = await hold(page, "**/verify/erase");
    await press(page, "Delete it for good");
    const keep = page.getByRole("button", { name: "Keep it", disabled: true });
    await keep.dispatchEvent("click");
    expect(await keep.isVisible()).to.equal(true);
    erase();
    await page.getByText("is deleted here for good").waitFor();
  });

  it("shows the address once where it can be chosen, and copies the chosen one", async () => {
    const { page, wallet, other } = await openFor({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(`${stack().service.url}/verify`);
    await press(page, /^Test wallet/);
    await arriveAt(page, "Sign in with your wallet");
    await page.getByLabel("Wallet account", { exact: true }).selectOption(wallet.address);
    await press(page, "Copy address");
    await expectWholeScreen(page, "verify-copied");
    expect(await page.evaluate("navigator.clipboard.readText()")).to.equal(wallet.address);
    await page.getByLabel("Wallet account", { exact: true }).selectOption(other);
    await expectWholeScreen(page, "verify-account-chosen");
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('No.'))");
    await press(page, "Copy address");
    await page.getByText(other, { exact: true }).waitFor();
  });

  it("reports an account to delete that is already gone", async () => {
    const { page, person, wallet } = await openFor();
    await setCredential(wallet.address);
    person.accounts = [wallet.address];
    await signIn(person, `${stack().service.url}/verify`);
    await press(page, "Delete");
    await stack().store.delete(wallet.address, "microblog");
    await press(page, "Delete it for good");
    await page.getByText("That account is no longer stored here.").waitFor();
    await expectWholeScreen(page, "verify-gone");
  });
});
