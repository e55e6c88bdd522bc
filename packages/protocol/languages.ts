/** The languages of the pages that users meet, by their own names. The compiler demands every catalogue's texts in each. */
export const languages = { en: "English", es: "Español" } as const;
export type Language = keyof typeof languages;

/**
 * The texts of a page in each language, under the same names. A text with parameters is a function; a text with markup is
 * JSX. A test demands that pages have no text outside a catalogue.
 *
 * ```tsx
 * // texts/en.tsx, and texts/es.tsx with the same names
 * export const en = { greeting: "Good day", asks: (app: string) => <><b>{app}</b> asks</> };
 * // texts.ts
 * export const pageTexts: Catalogue<typeof en> = { en, es };
 * ```
 */
export type Catalogue<Texts> = Readonly<Record<Language, Texts>>;

export const isLanguage = (text: unknown): text is Language => Object.hasOwn(languages, String(text));

/** The first of our languages that a list of tags names (BCP 47, such as `es-ES`, or a locale such as `es_ES.UTF-8`). */
export const findLanguage = (tags: readonly string[]): Language | undefined =>
  tags.map((tag) => /^[a-z]*/i.exec(tag)?.[0].toLowerCase()).find(isLanguage);
