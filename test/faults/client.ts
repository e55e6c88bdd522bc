import type { Fault } from "./fault.ts";

export const faults: readonly Fault[] = [
  {
    what: "the date of Retry-After is read as milliseconds, so a client gives up at once",
    file: "client/internal/askService.ts",
    from: "(Date.parse(value) - Date.now()) / 1000",
    to: "(Date.parse(value) - Date.now())",
    tests: ["test/client/verification/askService.test.ts"],
  },
  {
    what: "credentials are sent to the service",
    file: "client/internal/askService.ts",
    from: `credentials: "omit"`,
    to: `credentials: "include"`,
    tests: ["test/client/verification/askService.test.ts"],
  },
];
