import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { previewBrand } from "../../packages/verify-page/index.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";
import { useBrowser } from "../fixtures/web/browser.ts";
import { expectNoStrangers, openBrowser } from "../fixtures/web/person.ts";
import { arriveAt, press } from "../fixtures/web/screen.ts";

describe("The preview of a brand, in a browser", function () {
  this.timeout(60_000);
  const browser = useBrowser();

  it("asks whether to store an account, stores none, and leads on to the front page", async () => {
    const file = join(await temporaryFolder(), "brand.json");
    writeFileSync(file, JSON.stringify({ name: "Drop Identity", accent: "#7c3aed" }));
    const preview = await previewBrand(file);
    onCleanup(() => preview.close());
    const person = await openBrowser(browser());
    const { page } = person;
    await page.goto(`${preview.url}/verify`);
    await arriveAt(page, "Store this account?");
    expect(await page.locator("header").innerText()).to.include("Drop Identity");
    const colour = await page
      .getByRole("button", { name: /^Store it/ })
      .evaluate((button) => Reflect.get(globalThis, "getComputedStyle")(button).backgroundColor);
    expect(colour).to.equal("rgb(124, 58, 237)");
    await press(page, "Do not store it");
    await page.getByText("Nothing was stored.").waitFor();
    await press(page, /^Store it and go back/);
    await page.waitForURL(`${preview.url}/`);
    await page.getByText("Drop Identity").waitFor();
    expectNoStrangers(person, [preview.url]);
  });
});
