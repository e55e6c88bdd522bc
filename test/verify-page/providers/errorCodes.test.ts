import { expect } from "chai";
import { parseJsonLosslessly } from "../../../packages/protocol/json.ts";
import type { Connectors } from "../../../packages/verify-page/connectors/connector.ts";
import { connectors } from "../../../packages/verify-page/connectors/connectors.ts";
import { findErrorCode } from "../../../packages/verify-page/providers/errorCodes.ts";

describe("The error code of a provider's answer", () => {
  for (const [provider, answer, code] of [
    // Zero is for no error, as a number or as a text.
    ["short_video", '{"data":{"error_code":0}}', undefined],
    ["short_video", '{"data":{"error_code":"0"}}', undefined],
    ["short_video", '{"data":{"error_code":10007}}', "10007"],
    ["short_video", '{"error":{"code":"ok"},"data":{"error_code":10007}}', undefined],
    [
      "microblog",
      '{"errors":[{"code":0,"type":"https://api.example/problems/usage-capped"}]}',
      "usage-capped",
    ],
    // A member for errors that is there in each answer, and empty where there is none.
    ["microblog", '{"error":{},"errors":[]}', undefined],
    ["exchange", '{"error":[],"data":{"id":"1"}}', undefined],
    ["photo_social", '{"error":{"code":0,"message":""}}', undefined],
    ["short_video", '{"error":{"code":null,"details":[]}}', undefined],
    ["exchange", '{"error":{"code":0,"message":"A sentence of words"}}', "other"],
    ["microblog", '{"errors":[{"message":"A sentence of words"}]}', "other"],
    // One that says nothing does not hide one that does.
    ["microblog", '{"title":"A sentence of words","error":"invalid_request"}', "invalid_request"],
    ["microblog", '{"title":"A sentence of words"}', "other"],
    ["photo_social", '{"error":{"code":190,"error_subcode":460}}', "190/460"],
  ] as const) {
    it(`is ${code ?? "none"} for ${answer}`, () => {
      const connector = connectors[provider satisfies keyof Connectors];
      expect(findErrorCode(connector, parseJsonLosslessly(answer))).to.equal(code);
    });
  }
});
