import { expect } from "chai";
import { signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { serveApp } from "../../fixtures/web/appPage.ts";
import { useBrowser } from "../../fixtures/web/browser.ts";

describe("The API in a browser", () => {
  const browser = useBrowser();

  it("answers an app of another origin that sends headers of its own and of tracing libraries", async () => {
    const [stack, app] = await Promise.all([startStack({ IDENTITY_RATE_LIMIT: "600" }), serveApp()]);
    const { wallet, address } = await stack.participate();
    // A page as it is: where a test intercepts requests, the browser asks no leave of the service.
    const page = await browser().newPage();
    await page.goto(app);
    const request = {
      method: "POST",
      headers: {
        authorization: "Bearer of-the-app",
        "content-type": "application/json",
        "sentry-trace": "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
        baggage: "sentry-environment=production",
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "x-datadog-trace-id": "1",
        "x-datadog-sampling-priority": "1",
        "x-of-nobody-yet": "1",
      },
      body: JSON.stringify(await signedRequest(wallet, address)),
    };
    const [url, init] = [`${stack.url}/v1/onchain_verifications`, JSON.stringify(request)];
    const answer = await page.evaluate(
      `fetch("${url}", ${init}).then(async (response) => [response.status, Object.keys(await response.json()), [...response.headers.keys()]])`,
    );
    const [status, members, headers] = answer as [number, string[], string[]];
    expect([status, members]).to.deep.equal([200, ["identityHash", "expiration", "signature"]]);
    expect(headers).to.include("x-request-id");
    await page.close();
  });
});
