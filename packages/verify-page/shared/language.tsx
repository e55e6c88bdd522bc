import { type Catalogue, findLanguage, type Language } from "@hardhat-identity/protocol/languages";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { browserMemory } from "./storage.ts";

interface LanguageChoice {
  readonly language: Language;
  /** For `Intl`: the person's own variant of the language, such as `en-GB`. */
  readonly locale: string;
  /** `undefined` on a page that is in English alone. */
  readonly choose: ((language: Language) => void) | undefined;
}

const memory = "language";

const Chosen = createContext<LanguageChoice>({ language: "en", locale: "en", choose: undefined });

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
    browserMemory.write(memory, chosen);
  };
  return (
    <Chosen.Provider value={{ language, locale: localeOf(language), choose }}>{children}</Chosen.Provider>
  );
}

export function useLanguage(): LanguageChoice {
  return useContext(Chosen);
}

/** The page's texts in the chosen language. */
export function useTexts<Texts>(catalogue: Catalogue<Texts>): Texts {
  return catalogue[useLanguage().language];
}

function startingLanguage(): Language {
  const asked = new URLSearchParams(location.search).get("ui_locales") ?? "";
  return findLanguage([browserMemory.read(memory) ?? "", ...asked.split(" "), ...browserTags()]) ?? "en";
}

/** The browser's languages. Some browsers have no list, or invalid tags (BCP 47), such as `en-US@posix`. */
const browserTags = (): readonly string[] => [navigator.languages ?? []].flat().map(String);

function localeOf(language: Language): string {
  const tag = browserTags().find((each) => findLanguage([each]) === language) ?? language;
  try {
    return new Intl.Locale(tag.replace(/[@.].*/, "").replaceAll("_", "-")).toString();
  } catch {
    return language;
  }
}
