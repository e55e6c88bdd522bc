import { Fragment } from "preact";
import { nameTrait, writeTrait } from "../../protocol/traitWords.ts";
import { useLanguage, useTexts } from "../shared/language.tsx";
import { sharedTexts } from "../shared/texts.ts";
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
          <dd>{breakable(writeTrait(name, value, words, locale))}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Lets a big number break between its groups of digits, and not within one. */
const breakable = (written: string) =>
  written.split(/(?<=\d\D)(?=\d)/).map((group, i) => (
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {group}
    </Fragment>
  ));
