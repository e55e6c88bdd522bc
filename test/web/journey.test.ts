import { useBrowser } from "../fixtures/browser.ts";
import { walkByKeyboard } from "../fixtures/keyboardJourney.ts";
import { expectNoStrangers, openBrowser } from "../fixtures/person.ts";
import { sizes } from "../fixtures/screen.ts";
import { serveStackWithDemo } from "../fixtures/stack.ts";

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
