/** An accent colour as it can be read on the pages, in the light and in the dark. */
export interface Accent {
  readonly light: string;
  readonly dark: string;
}

/** The accent's background in each scheme. A button has white text in the light scheme and dark text in the dark one. */
const grounds = { light: "#fbfbfa", dark: "#1d2125" };
/** WCAG asks for 4.5. A little more leaves room for the tint that a button has below the mouse. */
const enough = 5;

/** @param colour `#` and six hex digits. It is darkened, or lightened, as far as contrast demands. */
export const readableAccent = (colour: string): Accent => ({
  light: approach("#000000", colour, grounds.light),
  dark: approach("#ffffff", colour, grounds.dark),
});

/** As a declaration of a style sheet. */
export const accentStyle = ({ light, dark }: Accent): string =>
  `:root{--accent:${light}}@media(prefers-color-scheme:dark){:root{--accent:${dark}}}\n`;

function approach(target: string, colour: string, ground: string): string {
  for (let percent = 0; percent < 100; percent++) {
    const mixed = mix(colour, target, percent / 100);
    if (contrast(mixed, ground) >= enough) return mixed;
  }
  return target;
}

const channels = (colour: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

function mix(from: string, to: string, share: number): string {
  const ends = channels(to);
  const mixed = channels(from).map((value, i) => Math.round(value + ((ends[i] ?? 0) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** The contrast ratio of WCAG 2. */
export function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
