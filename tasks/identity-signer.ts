#!/usr/bin/env node
import { InvalidInputError } from "../protocol/errors.ts";
import { startService, untilServiceStopped } from "./internal/stack/service.ts";

// The binary of the npm package: the signer service as `hardhat identity serve` starts it, without Hardhat.
try {
  const service = await startService(process.env, undefined);
  await untilServiceStopped(service);
} catch (error) {
  if (!(error instanceof InvalidInputError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
