// The Hardhat plugin, and the exports of wallet.ts.
export { default } from "./plugin.ts";
export * from "./wallet.ts";
