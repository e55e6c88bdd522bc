import { expect } from "chai";
import { parseUri } from "../../packages/pkcs11/internal/uri.ts";
import { InvalidInputError } from "../../packages/protocol/errors.ts";

describe("A PKCS#11 URI", () => {
  const place = { token: "identity", object: { label: "signer" } };
  const uri = "pkcs11:token=identity;object=signer?module-path=/usr/lib/token.so";

  it("names a key by RFC 7512, and its PIN or the file that has it", () => {
    const key = { module: "/usr/lib/token.so", place };
    for (const source of ["file:/run/pin", "file:///run/pin", "file:/run/%70in"]) {
      expect(parseUri(`${uri}&pin-source=${source}`)).to.deep.equal({ ...key, pin: { file: "/run/pin" } });
    }
    expect(parseUri(`${uri}&pin-source=file:pin`)).to.deep.equal({ ...key, pin: { file: "pin" } });
    expect(parseUri(`${uri}&pin-value=a%26b=c%C3%A9`)).to.deep.equal({ ...key, pin: { value: "a&b=cé" } });
    // In another order, with what is reserved in a label, and an id in bytes, of which only some must be encoded.
    expect(
      parseUri("pkcs11:id=%0a%FFAb;token=one%20%3b%3F%25?pin-value=1234&module-path=/usr/lib/token.so"),
    ).to.deep.equal({
      module: "/usr/lib/token.so",
      place: { token: "one ;?%", object: { id: "0aff4162" } },
      pin: { value: "1234" },
    });
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
      expect(() => parseUri(`pkcs11:${text}`))
        .to.throw(InvalidInputError, `(${problem})`)
        .with.property("message")
        .that.does.not.include("hunter2");
    });
  }
});
