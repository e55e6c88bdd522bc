import { expect } from "chai";
import { verifyAtSourcify } from "../../tasks/internal/deployment/sourcify.ts";
import { setEnvironment } from "../fixtures/environment.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { rejection } from "../fixtures/rejection.ts";

describe("Sourcify that cannot be reached", () => {
  it("is named with what happened, and with the proxy that the environment names", async () => {
    const host = `127.0.0.1:${await findFreePort()}`;
    setEnvironment({ HTTP_PROXY: "http://user:secret@proxy.example:3128", http_proxy: undefined });
    const { message } = await rejection(
      verifyAtSourcify(
        {
          contractAddress: `0x${"12".repeat(20)}`,
          compilerInput: { language: "Solidity", sources: {}, settings: {} } as never,
          contractName: "a.sol:A",
          compilerVersion: "0.8.28",
          constructorArguments: "",
        },
        84532,
        `http://${host}`,
      ),
    );
    expect(message).to.equal(
      `${host} cannot be reached: connect ECONNREFUSED ${host}; HTTP_PROXY is set, but Node uses it only with NODE_USE_ENV_PROXY=1`,
    );
  });
});
