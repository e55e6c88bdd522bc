import { serveStackWithDemo } from "../fixtures/signer/stack.ts";
import { useBrowser } from "../fixtures/web/browser.ts";
import { walkByKeyboard } from "../fixtures/web/keyboardJourney.ts";
import { expectNoStrangers, openBrowser } from "../fixtures/web/person.ts";
import { sizes } from "../fixtures/web/screen.ts";

describe("The whole journey, from the demo over the verify page and the sandbox and back", function () {
  this.timeout(120_000);
  const browser = useBrowser();

  for (const [device, context] of Object.entries(sizes)) {
    it(`can be walked by the keyboard alone, to the second device's refusal, on ${device}`, async () => {
      const stack = await serveStackWithDemo();
      const person = await openBrowser(browser(), { hasWallet: false, context });
      await person.page.goto(stack.demo.url);
      await person.page.getByRole("button", { name: "Claim with Alice’s phone" }).waitFor();
      await walkByKeyboard(person.page);
      expectNoStrangers(person, [stack.demo.url, stack.service.url, stack.sandbox.url, stack.rpcUrl]);
    });
  }
});
