import { useBrowser } from "../fixtures/web/browser.ts";
import { walkOn } from "../fixtures/web/keyboardJourney.ts";

describe("The whole journey on a phone", () => {
  const browser = useBrowser();

  it("can be walked by the keyboard alone, to the second device's refusal, there as well", async () => {
    await walkOn("a phone", browser());
  }).timeout(120_000);
});
