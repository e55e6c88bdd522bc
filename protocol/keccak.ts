/** Bytes that Keccak-256 takes in at a time. */
const rate = 136;

// The permutation's constants (FIPS 202, sections 3.2.2 to 3.2.5): the order in which lanes change places, by how many
// bits each is rotated, and what is added to the first lane in each round. A lane has two words, the low one first.
const places: number[] = [];
const shifts: number[] = [];
const lows: number[] = [];
const highs: number[] = [];
for (let round = 0, x = 1, y = 0, register = 1; round < 24; round++) {
  [x, y] = [y, (2 * x + 3 * y) % 5];
  places.push(10 * y + 2 * x);
  shifts.push((((round + 1) * (round + 2)) / 2) % 64);
  const constant: [number, number] = [0, 0];
  for (let j = 0; j < 7; j++) {
    const bit = 2 ** j - 1;
    if (register & 1) constant[bit < 32 ? 0 : 1] |= 1 << (bit % 32);
    register = (register << 1) ^ ((register >> 7) * 0x171);
  }
  lows.push(constant[0]);
  highs.push(constant[1]);
}

/** Rotates a lane to the left; returns the word that was `a`. No shift is 0 or 32. */
const rotate = (a: number, b: number, shift: number): number =>
  shift > 32 ? (b << (shift - 32)) | (a >>> (64 - shift)) : (a << shift) | (b >>> (32 - shift));

/** Keccak-f[1600] (FIPS 202, section 3.3), on 25 lanes. */
function permute(state: Uint32Array): void {
  const at = (i: number) => state[i] as number;
  const column = new Uint32Array(10);
  for (let round = 0; round < 24; round++) {
    for (let x = 0; x < 10; x++) column[x] = at(x) ^ at(x + 10) ^ at(x + 20) ^ at(x + 30) ^ at(x + 40);
    for (let x = 0; x < 10; x++) {
      const [a, b] = [column[(x + 2) % 10] as number, column[((x + 2) ^ 1) % 10] as number];
      const mixed = (column[(x + 8) % 10] as number) ^ rotate(a, b, 1);
      for (let y = x; y < 50; y += 10) state[y] = at(y) ^ mixed;
    }
    let [low, high] = [at(2), at(3)];
    for (let i = 0; i < 24; i++) {
      const [place, shift] = [places[i] as number, shifts[i] as number];
      const moved = [rotate(low, high, shift), rotate(high, low, shift)];
      [low, high] = [at(place), at(place + 1)];
      state.set(moved, place);
    }
    for (let y = 0; y < 50; y += 10) {
      const row = state.slice(y, y + 10);
      for (let x = 0; x < 10; x++) {
        state[y + x] = at(y + x) ^ (~(row[(x + 2) % 10] as number) & (row[(x + 4) % 10] as number));
      }
    }
    state[0] = at(0) ^ (lows[round] as number);
    state[1] = at(1) ^ (highs[round] as number);
  }
}

/** Hashes bytes with Keccak-256, on a little-endian machine, as all browsers' are. A library would be a tenth of the client. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  const words = new Uint32Array(50);
  const state = new DataView(words.buffer);
  const padded = new Uint8Array(rate * Math.floor(bytes.length / rate + 1));
  padded.set(bytes);
  padded[bytes.length] = 0x01;
  padded[padded.length - 1] = (padded.at(-1) ?? 0) | 0x80;
  padded.forEach((byte, i) => {
    const at = i % rate;
    state.setUint8(at, state.getUint8(at) ^ byte);
    if (at === rate - 1) permute(words);
  });
  return new Uint8Array(words.buffer).slice(0, 32);
}
