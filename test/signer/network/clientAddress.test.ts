import { expect } from "chai";
import { clientReader, connectionReader } from "../../../signer/internal/network/clientAddress.ts";

describe("The address of a client", () => {
  const read = (trusted: number | string[], said: string, remoteAddress = "10.0.0.1") =>
    clientReader(trusted)({ socket: { remoteAddress }, headers: { "x-forwarded-for": said } } as never);

  it("is the last that a trusted proxy names, whatever stands before it, and however much", () => {
    const lie = "10.0.0.9, 9.9.9.9,, nonsense, ".repeat(400);
    for (const trusted of [1, ["10.0.0.0/8"]]) {
      expect(read(trusted, `${lie}192.0.2.1`)).to.equal("192.0.2.1");
      expect(read(trusted, `${lie}192.0.2.1 , ,`)).to.equal("192.0.2.1");
      expect(read(trusted, "")).to.equal("10.0.0.1");
      expect(read(trusted, " , ")).to.equal("10.0.0.1");
    }
    expect(read(2, "9.9.9.9, 192.0.2.1, 10.0.0.2")).to.equal("192.0.2.1");
    expect(read(["10.0.0.0/8"], "9.9.9.9, 192.0.2.1, 10.0.0.3,10.0.0.2")).to.equal("192.0.2.1");
    expect(read(["10.0.0.0/8"], "10.0.0.3, 10.0.0.2")).to.equal("10.0.0.3");
    expect(read(9, "192.0.2.1, 10.0.0.2")).to.equal("192.0.2.1");
  });

  it("omits the port that a proxy adds", () => {
    for (const [said, name] of [
      ["192.0.2.1:4711", "192.0.2.1"],
      ["[2001:db8::1]:4711", "20010db8000000/56"],
      ["[2001:db8::1]", "20010db8000000/56"],
      ["::ffff:192.0.2.1", "192.0.2.1"],
    ] as const) {
      expect(read(1, said), said).to.equal(name);
      expect(read(["10.0.0.0/8", "fd00::/8"], `${said}, [fd00::1]:80, 10.0.0.2:4711`), said).to.equal(name);
    }
  });

  it("is read in every spelling of IPv6", () => {
    for (const [said, name] of [
      ["::1.2.3.4", "00000000000000/56"],
      ["2001:db8::192.0.2.1", "20010db8000000/56"],
      ["2001:db8:0:1:2:3:192.0.2.1", "20010db8000000/56"],
      ["2001:DB8::", "20010db8000000/56"],
      ["::ffff:1.2.3.4", "1.2.3.4"],
      ["::ffff:102:304", "1.2.3.4"],
      ["0:0:0:0:0:FFFF:1.2.3.4", "1.2.3.4"],
      // A translator's names of IPv4 clients.
      ["64:ff9b::1.2.3.4", "1.2.3.4"],
      ["64:ff9b::102:305", "1.2.3.5"],
      ["64:ff9b::1:102:304", "0064ff9b000000/56"],
      ["fe80::1%eth0", "fe800000000000/56"],
      // The interfaces of a VLAN and of a bridge.
      ["fe80::1%eth0.100", "fe800000000000/56"],
      ["fe80::1%br-lan", "fe800000000000/56"],
      ["::ffff:1.2.3.4%br-lan", "1.2.3.4"],
    ] as const) {
      expect(read(1, said), said).to.equal(name);
      expect(read(1, `9.9.9.9, ${said}`), said).to.equal(name);
      expect(read(2, `${said}, 10.0.0.2`), said).to.equal(name);
      expect(connectionReader(0)({ remoteAddress: said }), said).to.equal(name);
    }
  });

  it("is as a proxy wrote it if that is no address", () => {
    for (const said of [
      "unknown",
      "_hidden",
      "::1.2.3",
      "::1.2.3.4.5",
      "fe80:%eth0",
      "1::2::3",
      "::1.2.3.400",
    ])
      expect(read(1, said), said).to.equal(said);
  });

  it("is the connection's where no proxy is trusted, whatever the header says", () => {
    for (const trusted of [0, ["10.0.0.0/8"]])
      expect(read(trusted, "9.9.9.9", "192.0.2.1")).to.equal("192.0.2.1");
  });

  it("is found quickly, however long the header is", () => {
    // Read to its beginning, each of these takes a millisecond.
    const long = `${",".repeat(15_000)}192.0.2.1`;
    const readClient = clientReader(1);
    const request = { socket: { remoteAddress: "10.0.0.1" }, headers: { "x-forwarded-for": long } } as never;
    for (let i = 0; i < 300_000; i++) readClient(request);
    expect(readClient(request)).to.equal("192.0.2.1");
  });
});
