import { expect } from "chai";
import { press } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";

describe("The accounts on the verify page", function () {
  this.timeout(60_000);
  const { openFor, setCredential, signIn, stack } = useVerifyPage();

  it("puts the focus where a person goes on after deleting, and after not deleting", async () => {
    const { page, person, wallet } = await openFor();
    await setCredential(wallet.address);
    const focused = () => page.evaluate<string>("document.activeElement?.textContent ?? ''");
    person.accounts = [wallet.address];
    await signIn(person, `${stack().service.url}/verify`);
    await press(page, "Delete");
    expect(await focused()).to.match(/^It is erased here at once/);
    await press(page, "Keep it");
    expect(await focused()).to.equal("Delete");
    await press(page, "Delete");
    await press(page, "Delete it for good");
    await page.getByText("is deleted here, for good").waitFor();
    expect(await focused()).to.match(/^Your Microblog .* is deleted here, for good/);
  });

  it("says so when an account that is to be deleted is gone already", async () => {
    const { page, person, wallet } = await openFor();
    await setCredential(wallet.address);
    person.accounts = [wallet.address];
    await signIn(person, `${stack().service.url}/verify`);
    await press(page, "Delete");
    await stack().store.delete(wallet.address, "microblog");
    await press(page, "Delete it for good");
    await page.getByText("That account is not stored here any more.").waitFor();
    await page.getByText("Nothing is stored for this wallet.").waitFor();
  });
});
