import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { type Catalogue, findLanguage, type Language } from "../../protocol/languages.ts";

interface LanguageChoice {
  readonly language: Language;
  /** For `Intl`: the person's own variant of the language, such as `en-GB`. */
  readonly locale: string;
  choose(language: Language): void;
}

const Chosen = createContext<LanguageChoice>({ language: "en", locale: "en", choose: () => undefined });

/**
 * Everything in it is in the language that the person chose here, or else the first that there is of those that a link asks
 * for (`ui_locales` of OpenID Connect) and the browser's.
 */
export function InLanguage({ children }: { children: ComponentChildren }) {
  const [language, setLanguage] = useState(startingLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = (chosen: Language) => {
    setLanguage(chosen);
    remember(chosen);
  };
  return (
    <Chosen.Provider value={{ language, locale: localeOf(language), choose }}>{children}</Chosen.Provider>
  );
}

export function useLanguage(): LanguageChoice {
  return useContext(Chosen);
}

/** What a page says, in the language that is chosen. */
export function useTexts<Texts>(catalogue: Catalogue<Texts>): Texts {
  return catalogue[useLanguage().language];
}

function startingLanguage(): Language {
  const asked = new URLSearchParams(location.search).get("ui_locales") ?? "";
  return findLanguage([recall() ?? "", ...asked.split(" "), ...navigator.languages]) ?? "en";
}

function localeOf(language: Language): string {
  return navigator.languages.find((tag) => tag.toLowerCase().startsWith(language)) ?? language;
}

const memory = "language";

function recall(): string | null {
  try {
    return localStorage.getItem(memory);
  } catch {
    // A browser may keep nothing for pages.
    return null;
  }
}

function remember(language: Language): void {
  try {
    localStorage.setItem(memory, language);
  } catch {
    // Then it is for this visit.
  }
}
