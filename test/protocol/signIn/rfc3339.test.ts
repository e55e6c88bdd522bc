import { expect } from "chai";
import { change, demandRefused, demandTaken, withTime, words } from "../../fixtures/protocol/grammar.ts";

const wanted = "must be a date and time of RFC 3339";
const read = (time: string) => demandTaken(withTime(time)).issuedAt.toISOString();

describe("A time of RFC 3339 in a sign-in message", () => {
  it("reads a time as an instant, whatever its offset, its fraction and the case of its letters", () => {
    for (const [time, instant] of [
      ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000Z"],
      ["2026-03-01t12:00:00z", "2026-03-01T12:00:00.000Z"],
      ["2026-03-01T12:00:00.1Z", "2026-03-01T12:00:00.100Z"],
      ["2026-03-01T12:00:00.01z", "2026-03-01T12:00:00.010Z"],
      ["2026-03-01T12:00:00.9999999999Z", "2026-03-01T12:00:00.999Z"],
      ["2026-03-01T00:30:00+02:00", "2026-02-28T22:30:00.000Z"],
      ["2026-03-01T00:30:00.5-12:34", "2026-03-01T13:04:00.500Z"],
      ["2026-03-01T12:00:00+00:00", "2026-03-01T12:00:00.000Z"],
      ["2026-03-01T12:00:00-00:00", "2026-03-01T12:00:00.000Z"],
      ["2026-03-01T00:00:00+23:59", "2026-02-28T00:01:00.000Z"],
      ["2026-12-31T23:59:59-23:59", "2027-01-01T23:58:59.000Z"],
      ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"],
      ["0000-02-29T00:00:00Z", "0000-02-29T00:00:00.000Z"],
      ["0000-01-01T00:00:00+00:01", "-000001-12-31T23:59:00.000Z"],
      ["0001-12-31T23:59:59Z", "0001-12-31T23:59:59.000Z"],
      ["0099-06-15T01:02:03Z", "0099-06-15T01:02:03.000Z"],
      ["0100-01-01T00:00:00Z", "0100-01-01T00:00:00.000Z"],
      ["1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"],
      ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"],
      ["9999-12-31T23:59:59-00:01", "+010000-01-01T00:00:59.000Z"],
    ] as const) {
      expect(read(time), time).to.equal(instant);
    }
  });

  it("refuses a time on a day that the calendar does not have", () => {
    const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    const two = (number: number) => String(number).padStart(2, "0");
    for (const [year, february] of [
      ["1900", 28],
      ["2000", 29],
      ["2023", 28],
      ["2024", 29],
      ["2100", 28],
      ["2400", 29],
    ] as const) {
      for (const [i, usual] of days.entries()) {
        const last = i === 1 ? february : usual;
        const month = `${year}-${two(i + 1)}`;
        expect(read(`${month}-${last}T00:00:00Z`)).to.equal(`${month}-${last}T00:00:00.000Z`);
        for (const day of [0, last + 1]) demandRefused(withTime(`${month}-${two(day)}T00:00:00Z`), wanted);
      }
      for (const month of ["00", "13"]) demandRefused(withTime(`${year}-${month}-01T00:00:00Z`), wanted);
    }
  });

  it("refuses a time with a number out of bounds, or not written in full", () => {
    for (const time of ["T00:00:00Z", "T23:59:59Z", "T23:00:00+23:59", "T00:00:59.0-23:00"]) {
      demandTaken(withTime(`2026-03-02${time}`));
    }
    for (const time of [
      "",
      "2026-03-02 12:00:00Z",
      "2026-03-02T12:00:00Z ",
      " 2026-03-02T12:00:00Z",
      "Mon, 02 Mar 2026 12:00:00 GMT",
      ...words(`
        2026 2026-03-02 2026-03-02T 2026-03-02T12:00Z 2026-03-02T12Z 20260302T120000Z 26-03-02T12:00:00Z
        02026-03-02T12:00:00Z +002026-03-02T12:00:00Z 2026-3-02T12:00:00Z 2026-03-2T12:00:00Z
        2026-03-02T1:00:00Z 2026-03-02T12:0:00Z 2026-03-02T12:00:0Z 2026/03/02T12:00:00Z
        2026-03-02T12.00.00Z 2026-03-02T12:00:00 2026-03-02T24:00:00Z 2026-03-02T12:60:00Z
        2026-03-02T12:00:61Z 2026-03-02T12:00:00.Z 2026-03-02T12:00:00,5Z 2026-03-02T12:00:00.5
        2026-03-02T12:00:00ZZ 2026-03-02T12:00:00+12:00Z 2026-03-02T12:00:00+24:00
        2026-03-02T12:00:00+12:60 2026-03-02T12:00:00+1200 2026-03-02T12:00:00+12
        2026-03-02T12:00:00|12:00 2026-03-02T12:00:00UTC ٢٠٢٦-03-02T12:00:00Z 2026-03-02T12:00:00−12:00
        1772452800`),
    ]) {
      demandRefused(withTime(time), `line 10: Issued At ${wanted}`);
    }
  });

  it("takes a leap second where one can be: before the first of a month in UTC", () => {
    for (const [time, instant] of [
      ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
      ["2016-12-31T23:59:60.75z", "2017-01-01T00:00:00.750Z"],
      ["2024-02-29T23:59:60Z", "2024-03-01T00:00:00.000Z"],
      ["2017-01-01T05:44:60+05:45", "2017-01-01T00:00:00.000Z"],
      ["2016-12-31T00:00:60-23:59", "2017-01-01T00:00:00.000Z"],
      ["0000-12-31T23:59:60Z", "0001-01-01T00:00:00.000Z"],
    ] as const) {
      expect(read(time), time).to.equal(instant);
    }
    for (const time of [
      "2016-12-30T23:59:60Z",
      "2016-12-31T23:58:60Z",
      "2016-12-31T22:59:60Z",
      "2024-02-28T23:59:60Z",
      "2016-12-31T23:59:60+01:00",
      "2016-12-31T23:59:60-00:01",
      "2017-01-01T00:00:60Z",
    ]) {
      demandRefused(withTime(time), wanted, "a leap second within a month");
    }
  });

  it("demands a time in each field of a sign-in message that is one", () => {
    demandRefused(change("2026-03-01T13:00:00.000Z", "tomorrow"), `line 11: Expiration Time ${wanted}`);
    demandRefused(change("2026-03-01T11:00:00.000Z", ""), `line 12: Not Before ${wanted}`);
  });
});
