import type { Fault } from "./fault.ts";

export const faults: readonly Fault[] = [
  {
    what: "the page on failures promises an alert that comes later",
    file: "deploy/prometheus/alerts.yaml",
    from: 'expr: identity_ready{job="identity-signer", check="key"} == 0\n        for: 1m',
    to: 'expr: identity_ready{job="identity-signer", check="key"} == 0\n        for: 3m',
    tests: ["test/deploy/failures.long.test.ts"],
  },
  {
    what: "a flood leaves no trace in the proxy's log",
    file: "deploy/haproxy/haproxy.cfg",
    from: "  log global\n",
    to: "",
    tests: ["test/deploy/haproxy.test.ts"],
  },
  {
    what: "the proxy gives a replica all requests at once, however many addresses they come from",
    file: "deploy/haproxy/haproxy.cfg",
    from: " maxconn 500",
    to: "",
    tests: [
      "test/deploy/haproxy.test.ts: gives a replica five hundred requests at a time, and only whole ones",
    ],
  },
  {
    what: "the container's health check goes to the proxy that the environment names",
    file: "deploy/container/Dockerfile",
    from: ", agent: false }",
    to: " }",
    tests: [
      "test/deploy/files.test.ts: ask a container whether it is alive, and take no answer and a bad one for no",
    ],
  },
  {
    what: "a client of the proxy chooses its address",
    file: "deploy/haproxy/haproxy.cfg",
    from: "  http-request del-header X-Forwarded-For\n",
    to: "",
    tests: ["test/deploy/haproxy.test.ts: tells the service who asks, whatever the client says of that"],
  },
];
