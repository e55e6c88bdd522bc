/** Registered error codes of OAuth's authorization and token endpoints: RFC 6749, RFC 8707, RFC 9396, OpenID Connect. */
const registered = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "access_denied",
  "unsupported_response_type",
  "unsupported_grant_type",
  "invalid_scope",
  "server_error",
  "temporarily_unavailable",
  "invalid_target",
  "invalid_authorization_details",
  "interaction_required",
  "login_required",
  "account_selection_required",
  "consent_required",
  "invalid_request_uri",
  "invalid_request_object",
  "request_not_supported",
  "request_uri_not_supported",
  "registration_not_supported",
];

/** Returns an error code for the log: a registered one, or `other`, because anybody may have written the text. */
export const nameOAuthError = (code: string): string => registered.find((known) => known === code) ?? "other";
