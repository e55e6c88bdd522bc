/**
 * Reads values of ABI-encoded data, each at a position in bytes from its start. A read throws if the data ends before, or
 * holds another kind of value there.
 *
 * @param data Hex of whole bytes with `0x`.
 */
export function abiReader(data: string) {
  const digits = data.slice(2).toLowerCase();

  /** @returns Hex digits, without `0x`. */
  function read(position: number, bytes: number): string {
    const found = digits.slice(2 * position, 2 * (position + bytes));
    if (found.length !== 2 * bytes) throw new Error("The data ends too early.");
    return found;
  }

  /** An unsigned integer; imprecise beyond 53 bits. */
  const number = (position: number): number => Number(`0x${read(position, 32)}`);

  return {
    read,
    number,
    /** In lower case. */
    address(position: number): string {
      if (/[^0]/.test(read(position, 12))) throw new Error("The data has no address there.");
      return `0x${read(position + 12, 20)}`;
    },
    /** `bytes`, by the position of their length. They end with a whole word, as `abi.encode` writes them. */
    bytes(position: number): string {
      const length = number(position);
      return `0x${read(position + 32, Math.ceil(length / 32) * 32).slice(0, 2 * length)}`;
    },
  };
}
