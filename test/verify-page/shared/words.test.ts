import { mock } from "node:test";
import { expect } from "chai";
import { shortenAddress, writeMoment } from "../../../packages/verify-page/shared/words.ts";

const words = {
  today: (time: string) => `today ${time}`,
  yesterday: (time: string) => `yesterday ${time}`,
  onDay: (day: string, time: string) => `${day}, ${time}`,
};

describe("A moment on the pages", () => {
  const zone = process.env.TZ;
  afterEach(() => {
    mock.timers.reset();
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  /** How a moment is written at another, both as ISO 8601 writes them. */
  function write(moment: string, now: string, locale = "en-GB"): string {
    process.env.TZ = "Europe/Madrid";
    mock.timers.enable({ apis: ["Date"], now: Date.parse(now) });
    return writeMoment(Date.parse(moment) / 1000, words, locale);
  }

  for (const [moment, now, written] of [
    ["2026-05-20T00:00:00+02:00", "2026-05-20T23:59:59+02:00", "today 00:00"],
    ["2026-05-19T23:59:00+02:00", "2026-05-20T00:01:00+02:00", "yesterday 23:59"],
    ["2026-05-19T00:00:00+02:00", "2026-05-20T23:59:00+02:00", "yesterday 00:00"],
    ["2026-05-18T23:59:00+02:00", "2026-05-20T00:01:00+02:00", "18 May 2026, 23:59"],
    // The day on which the clocks went forward has 23 hours, and the one on which they went back 25.
    ["2026-03-29T00:30:00+01:00", "2026-03-30T12:00:00+02:00", "yesterday 00:30"],
    ["2026-10-25T00:30:00+02:00", "2026-10-26T12:00:00+01:00", "yesterday 00:30"],
  ] as const) {
    it(`of ${moment} is "${written}" at ${now}, by the days of the person's own clock`, () => {
      expect(write(moment, now)).to.equal(written);
    });
  }

  it("is written as the person's own variant of the language writes it", () => {
    const [moment, now] = ["2026-05-20T15:05:00+02:00", "2026-05-20T16:00:00+02:00"];
    expect(write(moment, now, "en-US")).to.match(/^today 3:05\sPM$/);
    mock.timers.reset();
    expect(write(moment, now, "es-ES")).to.equal("today 15:05");
  });
});

describe("An address on the pages", () => {
  it("is shown by its ends", () => {
    expect(shortenAddress("0x1234567890abcdef1234567890abcdef1234abcd")).to.equal("0x1234…abcd");
  });
});
