export * from "@hardhat-identity/wallet/wallet";
