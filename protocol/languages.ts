/** The languages of all pages, each by its own name. The compiler asks for a catalogue's texts in each. */
export const languages = { en: "English", es: "Español" } as const;
export type Language = keyof typeof languages;

/**
 * What a page says, once for each language, by the same names. A text that has something put into it is a function; one
 * with markup in it is JSX. No text stands anywhere else: a test looks.
 *
 * ```tsx
 * // texts/en.tsx, and texts/es.tsx with the same names
 * export const en = { greeting: "Good day", asks: (app: string) => <><b>{app}</b> asks</> };
 * // texts.ts
 * export const demoTexts: Catalogue<typeof en> = { en, es };
 * ```
 */
export type Catalogue<Texts> = Readonly<Record<Language, Texts>>;

export const isLanguage = (text: unknown): text is Language => Object.hasOwn(languages, String(text));
