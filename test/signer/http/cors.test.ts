import { expect } from "chai";
import { signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { serveApp } from "../../fixtures/web/appPage.ts";
import { useBrowser } from "../../fixtures/web/browser.ts";

describe("The API in a browser", () => {
  const browser = useBrowser();

  it("answers an app of another origin that sends an Authorization header", async () => {
    const [stack, app] = await Promise.all([startStack(), serveApp()]);
    const { wallet, address } = await stack.participate();
    // A page as it is: where a test intercepts requests, the browser asks no leave of the service.
    const page = await browser().newPage();
    await page.goto(app);
    const request = {
      method: "POST",
      headers: { authorization: "Bearer of-the-app", "content-type": "application/json" },
      body: JSON.stringify(await signedRequest(wallet, address)),
    };
    const [url, init] = [`${stack.url}/v1/onchain_verifications`, JSON.stringify(request)];
    const answer = await page.evaluate(
      `fetch("${url}", ${init}).then(async (response) => [response.status, Object.keys(await response.json())])`,
    );
    expect(answer).to.deep.equal([200, ["identityHash", "expiration", "signature"]]);
    await page.close();
  });
});
