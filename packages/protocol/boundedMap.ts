/**
 * A map of the entries that were set last: at most a given number of them, and at least half of that.
 *
 * It deletes no single entry. When V8 replaces the table of a Map, the old table links to the new one, so once one of them
 * has survived, all that follow do, with everything that they refer to, until V8 marks the whole heap.
 */
export class BoundedMap<Key, Value> {
  readonly #half: number;
  #newer = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  constructor(atMost: number) {
    this.#half = Math.ceil(atMost / 2);
  }

  get(key: Key): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#newer.size >= this.#half) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }
}
