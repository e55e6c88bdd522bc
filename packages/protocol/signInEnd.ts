/**
 * Why a sign-in at a provider cannot be finished in this browser, `ended` in the page's query: it was finished before
 * (`used`), took more than 15 minutes (`late`), was started in another browser or the person signed out (`elsewhere`),
 * a wallet signed in since (`changed`), or too many were started since (`dropped`). `unknown` for what we did not start.
 */
export const signInEnds = ["used", "late", "elsewhere", "changed", "dropped", "unknown"] as const;
export type SignInEnd = (typeof signInEnds)[number];
