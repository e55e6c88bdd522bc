import { endpoint, verifyRoute } from "@hardhat-identity/signer/pages";
import type { Router } from "express";
import { sendTypeface, typefaceFile } from "../html/typeface.ts";

/** Serves the pages' typeface below the verify page's path, so that a proxy that passes it passes this. */
export const typeface = (): Router => endpoint(`${verifyRoute}/${typefaceFile}`, "get", sendTypeface);
