import { useLanguage, useTexts } from "../shared/language.tsx";
import { sharedTexts } from "../shared/texts.ts";
import { nameTrait, writeTrait } from "../shared/words.ts";

/** What was read of an account. */
export function TraitList({ traits }: { traits: Readonly<Record<string, string>> }) {
  const texts = useTexts(sharedTexts);
  const { locale } = useLanguage();
  const entries = Object.entries(traits);
  if (entries.length === 0) return <p>Nothing but that the account is yours.</p>;
  return (
    <dl>
      {entries.map(([name, value]) => (
        <div key={name} class="trait">
          <dt>{nameTrait(name, texts)}</dt>
          <dd>{writeTrait(value, texts, locale)}</dd>
        </div>
      ))}
    </dl>
  );
}
