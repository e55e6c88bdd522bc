import { expect } from "chai";
import {
  demandRefused,
  demandTaken,
  withDomain,
  withResource,
  withUri,
  words,
} from "../../fixtures/protocol/grammar.ts";
import { judge } from "../../fixtures/protocol/judge.ts";

describe("A URI of RFC 3986 in a sign-in message", () => {
  it("takes a URI with a scheme, and with or without authority, path, query and fragment", () => {
    for (const uri of words(`
      a: a:b A1+-.:b a:/ a:/b a:/b//c a:b//c/ a:b:c@d urn:isbn:0451450523 a:// a:/// a://// a://b a://b/
      a://b// a://b?c a://b#c a://b?# a:? a:# a:?b?c/d:@ a:#b?c/d:@ a:#? mailto:someone@app.example
      a:-._~!$&'()*+,;=:@/azAZ09 a:%41%fF%00 a://%41@%41/%41?%41#%41`)) {
      expect(demandTaken(withUri(uri)).uri).to.equal(uri);
      expect(demandTaken(withResource(uri)).resources[0]).to.equal(uri);
    }
  });

  it("refuses a URI for what it lacks or has too much of, in words that say where", () => {
    for (const [uri, why] of [
      ["", "has no scheme"],
      [":", "has no scheme"],
      ["a", "has no scheme"],
      ["//a", "has no scheme"],
      ["1a:", "has no scheme"],
      ["a_b:", "has no scheme"],
      ["a:b c", "has U+0020 in its path"],
      ["a:/b[", "has U+005B in its path"],
      ["a:/%", "has U+0025 in its path"],
      ["a:/%4", "has U+0025 in its path"],
      ["a:/%4g", "has U+0025 in its path"],
      ["a:/é", "has U+00E9 in its path"],
      ["a:?b[", "has U+005B in its query"],
      ["a:#b#c", "has U+0023 in its fragment"],
      ["a://b c", "has U+0020 in its host"],
      ["a://b@c@d", "has U+0040 in its host"],
      ["a://%4@b", "has U+0025 in its userinfo"],
      ["a://b:c", "has U+0063 in its port"],
      ["a://b:1:2", "has U+003A in its port"],
      ["a://[::1", "has no ] after the address in its host"],
      ["a://[::1]b", "has U+0062 in its host"],
      ["a://b[::1]", "has U+005B in its host"],
      ["a://::1", "has U+003A in its port"],
      ["a://[::g]", "has something else than an IPv6 address of RFC 3986 between the brackets of its host"],
    ] as const) {
      demandRefused(withUri(uri), `(line 6: the URI ${why})`);
      demandRefused(withResource(uri), `(line 15: the resource ${why})`);
    }
  });

  const authorities = words(`
    a a.b localhost 1.2.3.4 1.2.3.256 01.2.3 -._~!$&'()*+,;= %41b a:80 a: a:0 a:65535 a:0065535 :80
    user@a u:p:w@a:1 @a @ u@: -._~!$&'()*+,;=:%41@b [::1]:8080 u@[::1]: [v1.a] [VF.:]:1`);
  const refused = [
    "a b",
    ...words(`
      a/b a?b a#b a@b@c a:b a:1:2 [ ] [] [::1 ::1] [::1]1 [[::1]] a% a%4 a%zz %@b u[@b a:-1 a:+1 é a\\b
      a|b [v.a] [v1.] [v1a] [vg.a] [v1.a@] [v1.%41] [v1.[] [w1.a]`),
  ];

  it("takes what RFC 3986 has for an authority, as domain too", () => {
    for (const authority of authorities) {
      expect(demandTaken(withDomain(authority)).domain).to.equal(authority);
      demandTaken(withUri(`a://${authority}`));
      demandTaken(withUri(`a://${authority}/b`));
      demandTaken(withResource(`a://${authority}?b`));
    }
  });

  it("refuses an authority that RFC 3986 does not have, as domain too", () => {
    for (const authority of refused) {
      demandRefused(withDomain(authority), "line 1: the domain has ");
      demandRefused(withDomain(`u@${authority}`), "line 1: the domain has ");
      // There it would be the authority's end.
      if (/[/?#]/.test(authority)) continue;
      demandRefused(withUri(`a://${authority}`), "line 6: the URI has ");
      demandRefused(withResource(`a://${authority}#b`), "line 15: the resource has ");
    }
  });

  it("refuses a URI with a port that no machine has", () => {
    const difference = "a port above 65535";
    for (const port of ["65536", "99999", "0065536", "9".repeat(300)]) {
      demandRefused(withDomain(`u@a:${port}`), `the domain has ${difference}`, difference);
      demandRefused(withUri(`a://[::1]:${port}/b`), `the URI has ${difference}`, difference);
      demandRefused(withResource(`a://b:${port}?c`), `the resource has ${difference}`, difference);
    }
    // The judge, too, refuses what is no number, in the URI alone.
    const port = "9".repeat(400);
    demandRefused(withUri(`a://b:${port}`), difference);
    demandRefused(withDomain(`b:${port}`), difference, difference);
  });

  const groups = (count: number) => Array.from({ length: count }, (_, i) => String(i).repeat(1 + (i % 4)));

  it("counts the groups of an IPv6 address, with :: and IPv4 in it", () => {
    for (let before = 0; before <= 9; before++) {
      const left = groups(before).join(":");
      const whole = [...groups(before), "1.2.3.4"].join(":");
      expect(judge(withUri(`a://[${left}]`)) === "accepted", left).to.equal(before === 8);
      expect(judge(withUri(`a://[${whole}]`)) === "accepted", whole).to.equal(before === 6);
      for (let after = 0; after <= 9; after++) {
        const plain = `${left}::${groups(after).join(":")}`;
        const mixed = `${left}::${[...groups(after), "255.0.10.199"].join(":")}`;
        expect(judge(withUri(`a://[${plain}]`)) === "accepted", plain).to.equal(before + after <= 7);
        expect(judge(withUri(`a://[${mixed}]`)) === "accepted", mixed).to.equal(before + after <= 5);
      }
    }
  });

  it("refuses colons, groups and IPv4 addresses that are not where they may be", () => {
    for (const address of [
      "::1 ",
      ...words(`
        : ::: :::: :1 1: :1:: 1::: ::1: 1:2:3:4:5:6:7:8: :1:2:3:4:5:6:7:8 1::2::3 ::00001 12345:: ::g
        ::1%25eth0 1.2.3.4 1.2.3.4:: ::1.2.3.4:5 ::1.2.3 ::1.2.3.4.5 ::a.2.3.4 ::1.2.3.a ::256.2.3.4
        ::1.2.3.1000`),
    ]) {
      demandRefused(withUri(`a://[${address}]`), "between the brackets of its host");
    }
    for (const octet of ["", "00", "01", "001", "010", "099"]) {
      for (const address of [`::${octet}.1.1.1`, `::1.${octet}.1.1`, `::1.1.1.${octet}`]) {
        const difference = "an IPv4 address that is none, in an IPv6 address";
        demandRefused(withUri(`a://[${address}]`), "between the brackets of its host", difference);
      }
    }
    for (let octet = 0; octet <= 300; octet++) {
      const message = withUri(`a://[::1.2.${octet}.4]`);
      expect(judge(message)).to.equal(octet <= 255 ? "accepted" : "refused");
    }
  });
});
