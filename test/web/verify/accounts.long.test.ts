import { expect } from "chai";
import { arriveAt, press } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";

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
    await press(page, "Delete it for good");
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
      // What a click changes is there before the next frame.
      await new Promise((resolve) => setTimeout(resolve));
      return document.body.innerText.includes("account is stored.");
    })()`);
    expect(await isSaid).to.equal(false);
    await page.getByText("We delete it from this service at once").waitFor();
  });

  it("shows the address once where it can be chosen, and copies the chosen one", async () => {
    const { page, wallet, other } = await openFor({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(`${stack().service.url}/verify`);
    await press(page, /^Test wallet/);
    await arriveAt(page, "Sign in with your wallet");
    await page.getByLabel("Wallet account", { exact: true }).selectOption(wallet.address);
    expect(await page.locator("main code").count()).to.equal(0);
    await press(page, "Copy address");
    await page.getByText("Copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).to.equal(wallet.address);
    await page.getByLabel("Wallet account", { exact: true }).selectOption(other);
    expect(await page.getByText("Copied.").count(), "of another address").to.equal(0);
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
    await page.getByText("Nothing is stored for this wallet.").waitFor();
  });
});
