/** A method that answers later. */
export type Method<T = unknown> = (...args: never[]) => Promise<T>;

/** The same object, with each of its methods replaced by what is made of it. */
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
