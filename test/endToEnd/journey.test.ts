import { useBrowser } from "../fixtures/web/browser.ts";
import { walkOn } from "../fixtures/web/keyboardJourney.ts";

describe("The whole journey, from the demo over the verify page and the sandbox and back", () => {
  const browser = useBrowser();

  it("can be walked by the keyboard alone, to the second device's refusal", async () => {
    await walkOn("a laptop", browser());
  }).timeout(60_000);
});
