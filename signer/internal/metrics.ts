/** A number that only grows, for each combination of its labels. */
export interface Counter {
  /** @param labels The same names every time. */
  add(labels: Readonly<Record<string, string>>): void;
}

/** The service's counters. */
export interface Metrics {
  /** @param name As Prometheus wants it, ending in `_total`. */
  counter(name: string, help: string): Counter;
  /** In Prometheus's text format. */
  render(): string;
}

export function createMetrics(): Metrics {
  const counters = new Map<string, { help: string; values: Map<string, number> }>();
  return {
    counter(name, help) {
      const values = new Map<string, number>();
      counters.set(name, { help, values });
      return {
        add(labels) {
          const key = Object.entries(labels)
            .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
            .join(",");
          values.set(key, (values.get(key) ?? 0) + 1);
        },
      };
    },
    render() {
      return [...counters]
        .map(([name, { help, values }]) => {
          const lines = [...values].map(([labels, value]) => `${name}{${labels}} ${value}\n`);
          return `# HELP ${name} ${help}\n# TYPE ${name} counter\n${lines.join("")}`;
        })
        .join("");
    },
  };
}
