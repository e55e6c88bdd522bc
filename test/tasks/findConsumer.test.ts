import { expect } from "chai";
import hre from "hardhat";
import { findConsumer } from "../../tasks/internal/stack/findConsumer.ts";
import { rejection } from "../fixtures/rejection.ts";
import { announce } from "../fixtures/tasks/announcedStack.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("A consumer that --consumer names", () => {
  const address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

  function fixture() {
    const consumers = { Airdrop: address, raffle: address };
    const port = announce({ rpcUrl: "http://127.0.0.1:65001", consumers });
    return (name: string) => findConsumer(hre, { consumer: name, port });
  }

  it("is found by its address, or by its name on the running stack", async () => {
    const find = fixture();
    expect(await find(address.toLowerCase())).to.equal(address);
    expect(await find("Airdrop")).to.equal(address);
    expect(await find("raffle")).to.equal(address);
  });

  it("is found on the stack of the project's folder, wherever in it the task runs", async () => {
    const root = await temporaryFolder();
    announce({ rpcUrl: "http://127.0.0.1:65002", consumers: { Airdrop: address }, folder: root });
    const paths = { ...hre.config.paths, root };
    expect(
      await findConsumer(
        { ...hre, config: { ...hre.config, paths } },
        { consumer: "Airdrop", port: undefined },
      ),
    ).to.equal(address);
  });

  it("is refused with a list of the known names if it is neither name nor address", async () => {
    const find = fixture();
    for (const [name, hint] of [
      ["Poll", ""],
      ["toString", ""],
      ["airdrop", " Did you mean Airdrop?"],
    ] as const) {
      expect((await rejection(find(name))).message).to.equal(
        `--consumer must be an address, or one of Airdrop, raffle, got "${name}".${hint}`,
      );
    }
    for (const text of ["0x1", address.slice(2)]) {
      expect((await rejection(find(text))).message).to.include(
        "--consumer must be an address (0x and 40 hex digits)",
      );
    }
    expect((await rejection(find(""))).message).to.include("--consumer is missing");
  });
});
