import { useLanguage, useTexts } from "../shared/language.tsx";
import { sharedTexts } from "../shared/texts.ts";
import { nameTrait, writeTrait } from "../shared/words.ts";
import { verifyTexts } from "./texts.ts";

/** What was read of an account. */
export function TraitList({ traits }: { traits: Readonly<Record<string, string>> }) {
  const { accounts } = useTexts(verifyTexts);
  const words = useTexts(sharedTexts);
  const { locale } = useLanguage();
  const entries = Object.entries(traits);
  if (entries.length === 0) return <p>{accounts.noTraits}</p>;
  return (
    <dl>
      {entries.map(([name, value]) => (
        <div key={name} class="trait">
          <dt>{nameTrait(name, words)}</dt>
          <dd>{writeTrait(value, words, locale)}</dd>
        </div>
      ))}
    </dl>
  );
}
