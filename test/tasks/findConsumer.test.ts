import { expect } from "chai";
import hre from "hardhat";
import { findConsumer } from "../../tasks/internal/stack/findConsumer.ts";
import { announce } from "../fixtures/tasks/announcedStack.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("A consumer that --consumer names", () => {
  const address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

  function fixture() {
    const consumers = { Airdrop: address, raffle: address };
    const port = announce({ rpcUrl: "http://127.0.0.1:65001", consumers });
    return (name: string) => findConsumer(hre, { consumer: name, port });
  }

  it("is found by its address, or by its name on the running stack", () => {
    const find = fixture();
    expect(find(address.toLowerCase())).to.equal(address);
    expect(find("Airdrop")).to.equal(address);
    expect(find("raffle")).to.equal(address);
  });

  it("is found on the stack of the project's folder, wherever in it the task runs", async () => {
    const root = await temporaryFolder();
    announce({ rpcUrl: "http://127.0.0.1:65002", consumers: { Airdrop: address }, folder: root });
    const paths = { ...hre.config.paths, root };
    expect(
      findConsumer({ ...hre, config: { ...hre.config, paths } }, { consumer: "Airdrop", port: undefined }),
    ).to.equal(address);
  });

  it("is refused with a list of the known names if it is neither name nor address", () => {
    const find = fixture();
    for (const [name, hint] of [
      ["Poll", ""],
      ["toString", ""],
      ["airdrop", " Did you mean Airdrop?"],
    ] as const) {
      expect(() => find(name))
        .to.throw()
        .with.property("message")
        .that.equals(`--consumer must be an address, or one of Airdrop, raffle, got "${name}".${hint}`);
    }
    for (const text of ["0x1", address.slice(2)]) {
      expect(() => find(text)).to.throw("--consumer must be an address (0x and 40 hex digits)");
    }
    expect(() => find("")).to.throw("--consumer is missing");
  });
});
