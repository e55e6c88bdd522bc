export { default } from "@hardhat-identity/ignition/modules/VerifiedVault";
