export * from "@hardhat-identity/wallet";
