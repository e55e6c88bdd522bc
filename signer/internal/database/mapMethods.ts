/** An asynchronous method. */
export type Method<T = unknown> = (...args: never[]) => Promise<T>;

/** Returns a copy of an object with each method replaced by the result of `change`. */
export function mapMethods<T extends object>(
  object: T,
  change: <Answer>(call: Method<Answer>, name: keyof T & string) => Method<Answer>,
): T {
  const changed = Object.entries(object).map(([name, call]) => [
    name,
    change(call, name as keyof T & string),
  ]);
  return Object.fromEntries(changed) as T;
}
