export { default } from "@hardhat-identity/ignition/modules/Examples";
