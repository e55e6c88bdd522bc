/** Ends with what was started when it is told to; answers what says how far it is, after how many seconds. */
export function startProgress(): (step: string) => void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const started = performance.now();
  return (step) =>
    console.error(`${((performance.now() - started) / 1_000).toFixed(1).padStart(7)} s  ${step}`);
}
