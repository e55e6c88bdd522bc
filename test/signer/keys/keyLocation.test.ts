import { expect } from "chai";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { loadConfig } from "../../../signer/index.ts";

const names = ["IDENTITY_SIGNING_KEY", "IDENTITY_NEXT_SIGNING_KEY"] as const;
const required = {
  IDENTITY_RPC_URL: "http://127.0.0.1:8545",
  IDENTITY_REGISTRY: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
};

/** What the service makes of a text: the same for both keys. */
function read(text: string): unknown {
  const { signingKey } = loadConfig({ ...required, IDENTITY_SIGNING_KEY: text });
  const { nextSigningKey } = loadConfig({ ...required, IDENTITY_NEXT_SIGNING_KEY: text });
  expect(nextSigningKey).to.deep.equal(signingKey);
  return signingKey;
}

/** What the service says of a text that it does not take. */
function refusal(text: string): string {
  const [first = "", next = ""] = names.map((name) => {
    try {
      loadConfig({ ...required, [name]: text });
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      expect(error.message).to.include(`- ${name} must be `).and.include("not what it holds (not shown).");
      return error.message.replace(name, "");
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
      expect(refusal(text)).to.include("a private key (0x and 64 hex digits)").and.not.include("5e5e");
    }
  });

  it("may be a module's file", () => {
    expect(read("module:./kms.js")).to.deep.equal({ kind: "module", file: "./kms.js" });
    expect(refusal("module:")).to.include("must be module:<file>");
  });

  it("may be the files of a keystore and its password", () => {
    expect(read("keystore:/run/key.json?password-file=/run/pass word")).to.deep.equal({
      kind: "keystore",
      file: "/run/key.json",
      passwordFile: "/run/pass word",
    });
    for (const text of [
      "keystore:",
      "keystore:key.json",
      "keystore:key.json?password-file=",
      "keystore:?password-file=hunter2",
      "keystore:key.json?password=hunter2",
      "keystore:key.json&password-file=hunter2",
    ]) {
      expect(refusal(text), text)
        .to.include("must be keystore:<file>?password-file=<file>, not")
        .and.not.include("hunter2");
    }
  });

  it("may be a URI of RFC 7512, for a key on a token", () => {
    const key = { kind: "pkcs11", module: "/usr/lib/token.so", token: "identity" };
    const [label, file] = [{ label: "signer" }, { file: "/run/pin" }];
    const uri = "pkcs11:token=identity;object=signer?module-path=/usr/lib/token.so";
    for (const source of ["file:/run/pin", "file:///run/pin", "file:/run/%70in"]) {
      expect(read(`${uri}&pin-source=${source}`)).to.deep.equal({ ...key, object: label, pin: file });
    }
    expect(read(`${uri}&pin-source=file:pin`)).to.deep.equal({
      ...key,
      object: label,
      pin: { file: "pin" },
    });
    expect(read(`${uri}&pin-value=a%26b=c%C3%A9`)).to.deep.equal({
      ...key,
      object: label,
      pin: { value: "a&b=cé" },
    });
    // In another order, with what is reserved in a label, and an id in bytes, of which only some must be encoded.
    expect(
      read("pkcs11:id=%0a%FFAb;token=one%20%3b%3F%25?pin-value=1234&module-path=/usr/lib/token.so"),
    ).to.deep.equal({ ...key, token: "one ;?%", object: { id: "0aff4162" }, pin: { value: "1234" } });
  });

  const [path, module, pin] = ["token=identity;object=signer", "module-path=/lib.so", "pin-value=hunter2"];
  for (const [text, problem] of [
    [`object=signer?${module}&${pin}`, "token is missing"],
    [`token=${"t".repeat(33)};object=signer?${module}&${pin}`, "token has more than 32 bytes"],
    [`token=${"%C3%A9".repeat(17)};object=signer?${module}&${pin}`, "token has more than 32 bytes"],
    [`token=identity?${module}&${pin}`, "one of object and id must be there"],
    [`${path};id=%01?${module}&${pin}`, "one of object and id must be there"],
    [`${path}?${pin}`, "module-path is missing"],
    [path, "module-path is missing"],
    [`${path}?${module}`, "one of pin-source and pin-value must be there"],
    [`${path}?${module}&${pin}&pin-source=file:pin`, "one of pin-source and pin-value must be there"],
    [`${path}?${module}&pin-source=/run/hunter2`, "pin-source must be file:<path>"],
    [`${path}?${module}&pin-source=|cat%20hunter2`, "pin-source must be file:<path>"],
    [`${path};serial=hunter2?${module}&${pin}`, "an attribute is unknown or given twice"],
    [`${path}?${module}&${pin}&pin=hunter2`, "an attribute is unknown or given twice"],
    [`${path};token=another?${module}&${pin}`, "an attribute is unknown or given twice"],
    [`${path}?${module}&${pin}&${pin}`, "an attribute is unknown or given twice"],
    [`${path};${pin}?${module}`, "an attribute is unknown or given twice"],
    [`${path}?${module}&${pin}&id=%01`, "an attribute is unknown or given twice"],
    [`token=;object=signer?${module}&${pin}`, "token has no value that can be read"],
    [`token=identity;id=?${module}&${pin}`, "id has no value that can be read"],
    [`token=identity;object=a b?${module}&${pin}`, "object has no value that can be read"],
    [`token=identity;object=é?${module}&${pin}`, "object has no value that can be read"],
    [`${path}?${module}&pin-value=hunter2%`, "pin-value has no value that can be read"],
    [`${path}?${module}&pin-value=hunter2%0g`, "pin-value has no value that can be read"],
  ] as const) {
    it(`is not pkcs11:${text}`, () => {
      expect(refusal(`pkcs11:${text}`))
        .to.include(`(${problem})`)
        .and.not.include("hunter2");
    });
  }

  it("is not a text of another kind", () => {
    for (const text of ["hunter2", "PKCS11:token=hunter2", "file:/run/hunter2"]) {
      expect(refusal(text))
        .to.include("keystore:<file>?password-file=<file>, module:<file>, or a PKCS#11 URI")
        .and.not.include("hunter2");
    }
  });
});
