/** Markup, as opposed to a text that may look like it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Insert = Html | string | number | undefined | readonly Html[];

/** Markup from a template. Inserted values are escaped, unless they are markup themselves. */
export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return new Html(parts.map((part, i) => part + write(inserts[i])).join(""));
}

/** A style sheet as it is written here. */
export const css = String.raw;

function write(insert: Insert): string {
  if (insert === undefined) return "";
  if (insert instanceof Html) return insert.text;
  if (typeof insert === "object") return insert.map(({ text }) => text).join("");
  return String(insert).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
