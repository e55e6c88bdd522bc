// Schemas of settings. Their messages complete "<name> must be …".
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { z } from "zod";
import { parseKeyLocation } from "../keys/keyLocation.ts";

/** Describes a setting whose value is never shown, and may come from a file that `<name>_FILE` names. */
export const secret = (description: string) => ({ description, isSecret: true });

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `one of ${values.join(", ")}`);

export function integer(minimum: number, maximum: number) {
  const wanted = `a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,16}$/, wanted)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, wanted);
}

/** A URL as it was set, with a slash at its end or without: at another address may be nothing, or a redirect. */
export function httpUrl(wanted: string, fits: (text: string) => boolean = isHttpUrl) {
  return z
    .string()
    .refine((text) => fits(text), wanted)
    .transform((text) => (text.endsWith("/") ? new URL(text).href : new URL(text).href.replace(/\/$/, "")));
}

/** Whether a text is an http(s) URL, without user name, password and fragment. */
export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text) || text.includes("#")) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

/** The location of a signing key. */
export function optionalKey() {
  return readBy(parseKeyLocation).optional();
}

/** A text that a function reads. The function's `InvalidInputError` describes what is expected. */
export function readBy<T>(read: (text: string) => T) {
  return z.string().transform((text, context): T => {
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      context.addIssue(error.message);
      return z.NEVER;
    }
  });
}
