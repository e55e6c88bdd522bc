/** A map with a limited number of entries: the one that was set longest ago goes first. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #atMost: number;

  constructor(atMost: number) {
    super();
    this.#atMost = atMost;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#atMost) this.delete(this.keys().next().value as Key);
    return this;
  }
}
