import { useMemo } from "preact/hooks";
import { encode } from "uqr";

/** A code with a text for a camera, drawn here: black on white in every colour scheme. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => draw(text), [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={`M0 0h${size}v${size}H0z`} fill="#fff" />
      <path d={path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

/** One square for each dark module, with the quiet zone of four that the standard wants. */
function draw(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { border: 4, ecc: "L" });
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x},${y}h1v1h-1z` : "")));
  return { size, path: squares.join("") };
}
