// A program that measures `connection.identity.mint`, the first time and later, in milliseconds.
import hre from "hardhat";
import "../../tasks/type-extensions.ts";

const { ethers, identity } = await hre.network.create("identityLocal");
const registry = await identity.deployRegistry();
const consumer = await ethers.deployContract("IncentiveProgram", [registry.address]);
const [, user] = await ethers.getSigners();
const took: number[] = [];
for (let i = 0; i < 200; i++) {
  const started = performance.now();
  await identity.mint({ consumer, user: String(user?.address), identity: `person-${i}` });
  took.push(performance.now() - started);
}
const [first, ...minted] = took;
console.log(JSON.stringify({ minted, first }));
process.exit();
