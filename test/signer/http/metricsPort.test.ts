import { expect } from "chai";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { loadConfig } from "../../../signer/index.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

describe("A port for metrics", () => {
  const statusOf = async (url: string) => (await fetch(url)).status;

  it("serves metrics, health and readiness, and the public port no metrics", async () => {
    const { url, service } = await startStack({
      IDENTITY_METRICS_PORT: "0",
      IDENTITY_METRICS_HOST: "localhost",
      IDENTITY_RATE_LIMIT: "600",
    });
    const metricsUrl = String(service.metricsUrl);
    expect(metricsUrl).to.match(/^http:\/\/localhost:\d+$/);
    expect(metricsUrl).not.to.equal(url);
    const scraped = await fetch(`${metricsUrl}/metrics`);
    const text = await scraped.text();
    expect(text).to.include('identity_ready{check="chain"} 1').and.include('{limit="metrics"} 0');
    for (const path of ["/healthz", "/readyz"]) {
      expect([await statusOf(`${url}${path}`), await statusOf(`${metricsUrl}${path}`)]).to.deep.equal([
        200, 200,
      ]);
    }
    expect(await statusOf(`${url}/metrics`)).to.equal(404);
    for (const path of ["/", "/verify", "/v1/onchain_verifications", "/openapi.json"]) {
      const response = await fetch(`${metricsUrl}${path}`);
      expect([response.status, await response.json()], path).to.deep.include(404);
    }
    expect(service.log.join("")).to.include(`"metricsUrl":"${metricsUrl}"`);
    await service.close();
    await rejection(fetch(`${metricsUrl}/healthz`));
  });

  it("has no limit in the metrics where there is no such port", async () => {
    const { url } = await startStack({ IDENTITY_RATE_LIMIT: "600" });
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).to.include('{limit="other"}').and.not.include('{limit="metrics"}');
  });

  it("is named if it is in use, and nothing is left running", async () => {
    const { rpcUrl, registry } = await startStack();
    const other = await serveHttp((_request, response) => response.end());
    const { port } = new URL(other.url);
    const env = { IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: registry };
    const error = await rejection(startTestSigner({ ...env, IDENTITY_METRICS_PORT: port }));
    expect(error).to.be.instanceOf(InvalidInputError);
    expect(error.message).to.equal(
      `Port ${port} on 127.0.0.1 is in use; choose another one (IDENTITY_METRICS_PORT).`,
    );
    const elsewhere = startTestSigner({
      ...env,
      IDENTITY_METRICS_PORT: "0",
      IDENTITY_METRICS_HOST: "192.0.2.1",
    });
    expect((await rejection(elsewhere)).message).to.equal(
      "The signer cannot listen on 192.0.2.1 port 0 (EADDRNOTAVAIL); see IDENTITY_METRICS_HOST and IDENTITY_METRICS_PORT.",
    );
    const same = { ...env, IDENTITY_PORT: "3000", IDENTITY_METRICS_PORT: "3000" };
    expect(() => loadConfig(same)).to.throw(
      InvalidInputError,
      "IDENTITY_METRICS_PORT must differ from IDENTITY_PORT, which is ",
    );
  });
});
