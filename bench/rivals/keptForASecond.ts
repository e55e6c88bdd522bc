/** Reads each key once a second at most; a reading that fails is not kept. */
export function keptForASecond<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const kept = new Map<string, { value: Promise<T>; since: number }>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined && Date.now() - known.since < 1_000) return known.value;
    const value = read(key);
    kept.set(key, { value, since: Date.now() });
    value.catch(() => kept.delete(key));
    return value;
  };
}
