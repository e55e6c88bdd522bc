import { expect } from "chai";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { loadConfig } from "../../../signer/index.ts";

const names = ["IDENTITY_SIGNING_KEY", "IDENTITY_NEXT_SIGNING_KEY"] as const;
const required = {
  IDENTITY_RPC_URL: "http://127.0.0.1:8545",
  IDENTITY_REGISTRY: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
};

const noKey =
  "a private key (0x and 64 hex digits), keystore:<file>?password-file=<file>, module:<file>, or a PKCS#11 URI (RFC 7512)";

/** The service's reading of a text, which must be the same for both keys. */
function read(text: string): unknown {
  const { signingKey } = loadConfig({ ...required, IDENTITY_SIGNING_KEY: text });
  const { nextSigningKey } = loadConfig({ ...required, IDENTITY_NEXT_SIGNING_KEY: text });
  expect(nextSigningKey).to.deep.equal(signingKey);
  return signingKey;
}

/** The service's refusal of a text. */
function refusal(text: string): string {
  const [first = "", next = ""] = names.map((name) => {
    try {
      loadConfig({ ...required, [name]: text });
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      const [, wanted] =
        new RegExp(
          `^The signer's configuration is not valid:\\n- ${name} must be (.*), not what it holds \\(not shown\\)\\.$`,
        ).exec(error.message) ?? [];
      return wanted ?? error.message;
    }
    throw new Error(`${name} takes ${text}`);
  });
  expect(first).to.equal(next);
  return first;
}

describe("Where a signing key is", () => {
  it("may be the key itself, of 32 bytes", () => {
    const privateKey = `0x${"5e".repeat(31)}aB`;
    expect(read(privateKey)).to.deep.equal({ kind: "private-key", privateKey });
    for (const text of [privateKey.slice(2), `${privateKey}00`, privateKey.slice(0, -2), `${privateKey} `]) {
      expect(refusal(text)).to.equal(noKey);
    }
  });

  it("may be a module's file", () => {
    expect(read("module:./kms.js")).to.deep.equal({ kind: "module", file: "./kms.js" });
    expect(refusal("module:")).to.equal("module:<file>, such as module:./kms.js");
  });

  it("may be the files of a keystore and its password", () => {
    expect(read("keystore:/run/a?key.json?password-file=/run/pass word")).to.deep.equal({
      kind: "keystore",
      file: "/run/a?key.json",
      passwordFile: "/run/pass word",
    });
    for (const text of [
      "keystore:",
      "keystore:key.json",
      "keystore:key.json?password-file=",
      "keystore:a\nkey.json?password-file=b",
      "keystore:key.json?password-file=a\nb",
      "keystore:?password-file=hunter2",
      "keystore:key.json?password=hunter2",
      "keystore:key.json&password-file=hunter2",
    ]) {
      expect(refusal(text), text).to.equal("keystore:<file>?password-file=<file>");
    }
  });

  it("may be a PKCS#11 URI, which the package for tokens reads", () => {
    expect(read("pkcs11:token=identity")).to.deep.equal({ kind: "pkcs11", uri: "pkcs11:token=identity" });
  });

  it("is not a text of another kind", () => {
    for (const text of ["hunter2", "keystore", "a-module:a", "PKCS11:token=hunter2", "file:/run/hunter2"]) {
      expect(refusal(text)).to.equal(noKey);
    }
  });
});
