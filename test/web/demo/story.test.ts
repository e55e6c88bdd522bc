import { useBrowser } from "../../fixtures/web/browser.ts";
import { tellStory } from "../../fixtures/web/story.ts";

describe("The demo's story", () => {
  const browser = useBrowser();

  it("lets Alice in once, refuses her laptop and Bob, says so in sight, and starts over", async () => {
    await tellStory(browser(), "a laptop");
  }).timeout(90_000);
});
