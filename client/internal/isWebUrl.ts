/** Whether a value is an http(s) URL: nothing else is sent to or navigated to. */
export function isWebUrl(value: unknown): value is string {
  return typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);
}
