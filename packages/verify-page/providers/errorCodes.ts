import { JsonNumber } from "@hardhat-identity/protocol/json";
import type { Connector, Keys } from "../connectors/connector.ts";
import type { FailureReason } from "../messages.ts";
import { find } from "./find.ts";

/** The meaning of error codes of OAuth's callback and token endpoint: RFC 6749, RFC 8707, OpenID Connect. */
const oauthReasons: Readonly<Record<string, FailureReason>> = {
  access_denied: "denied",
  // Not registered, but in use.
  user_denied: "denied",
  user_cancelled: "denied",
  user_cancelled_login: "denied",
  user_cancelled_authorize: "denied",
  invalid_grant: "expired",
  invalid_client: "not_set_up",
  unauthorized_client: "not_set_up",
  unsupported_response_type: "not_set_up",
  unsupported_grant_type: "not_set_up",
  invalid_scope: "not_set_up",
  invalid_target: "not_set_up",
  redirect_uri_mismatch: "not_set_up",
  server_error: "provider_error",
  temporarily_unavailable: "provider_error",
  // RFC 8628 has it for devices, and GitHub says it to others, too.
  slow_down: "rate_limited",
  // It says what is wrong in its description alone: X says it to a code that has ended, too.
  invalid_request: "refused",
  interaction_required: "refused",
  login_required: "refused",
  account_selection_required: "refused",
  consent_required: "refused",
};

const defaultCodes: readonly Keys[] = [["error"], ["error", "code"]];

/**
 * Returns the reason that a connector, or OAuth's callback and token endpoint, knows for a code.
 *
 * @param code As {@link findErrorCode} returns it.
 */
export function reasonOfCode(
  { errors }: Connector,
  code: string,
  isOAuth: boolean,
): FailureReason | undefined {
  const [withoutSubcode = code] = code.split("/");
  const tables = [errors?.reasons ?? {}, isOAuth ? oauthReasons : {}];
  for (const each of [code, withoutSubcode]) {
    const table = tables.find((known) => Object.hasOwn(known, each));
    if (table !== undefined) return table[each];
  }
  return undefined;
}

/**
 * Returns the code with which an answer names an error, fit for the log; `other` if it is not a short word. A subcode
 * stands behind it: `190/460`. Returns `undefined` if the answer names none.
 */
export function findErrorCode({ errors }: Connector, answer: unknown): string | undefined {
  let code: string | undefined;
  for (const keys of errors?.codes ?? defaultCodes) {
    const value = find(answer, keys);
    if (isEmpty(value)) continue;
    if (value === errors?.success) return undefined;
    const word = wordOf(readNumber(value));
    if (isShortWord(word)) {
      const subcode = errors?.subcode && wordOf(readNumber(find(answer, errors.subcode)));
      return subcode && isShortWord(subcode) ? `${word}/${subcode}` : word;
    }
    code = "other";
  }
  return code;
}

/** Whether a value says that there is no error: some answers always have an object or a list for errors. */
const isEmpty = (value: unknown): boolean =>
  membersIn(value).every((each) => membersIn(each).every(isNothing));

/** A value's members, or the value alone if it can have none. */
function membersIn(value: unknown): readonly unknown[] {
  const said = readNumber(value);
  return typeof said === "object" && said !== null ? Object.values(said) : [said];
}

const isNothing = (value: unknown): boolean => {
  const nothing: readonly unknown[] = [undefined, null, "", false, "0"];
  return nothing.includes(readNumber(value));
};

const readNumber = (value: unknown): unknown => (value instanceof JsonNumber ? value.source : value);

/** The last part of a URL. */
const wordOf = (text: unknown): string => (typeof text === "string" ? (text.split(/[/#]/).at(-1) ?? "") : "");

/** Returns the code of a challenge to an access token (RFC 6750, section 3), as of {@link findErrorCode}. */
export function findChallengeCode(status: number, challenge: string | null): string | undefined {
  const code = /\berror="?([^",]+)/.exec(challenge ?? "")?.[1];
  if (code === undefined || (status !== 401 && status !== 403)) return undefined;
  return isShortWord(code) ? code : "other";
}

// Not long enough for a token, and without so many digits in a row as an account id has.
const isShortWord = (text: string): boolean => /^(?!.*\d{7})-?[A-Za-z0-9][\w.-]{0,39}$/.test(text);
