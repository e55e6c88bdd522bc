import { Interface } from "ethers";
import { registryAbi } from "./registryAbi.ts";

/** Encodes and decodes calls of a registry. */
export const registryInterface = new Interface(registryAbi);
