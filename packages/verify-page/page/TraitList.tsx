import { type ComponentChildren, Fragment } from "preact";
import { nameTrait, writeTrait } from "../content/traitWords.ts";
import { useLanguage, useTexts } from "../shared/language.tsx";
import { sharedTexts } from "../shared/texts.ts";
import { verifyTexts } from "./texts.ts";

/**
 * The traits that the service read from an account.
 *
 * @param props.first A row above the others.
 */
export function TraitList(props: { traits: Readonly<Record<string, string>>; first?: ComponentChildren }) {
  const { traits, first } = props;
  const { accounts } = useTexts(verifyTexts);
  const words = useTexts(sharedTexts);
  const { locale } = useLanguage();
  const entries = Object.entries(traits);
  const none = entries.length === 0 && <p>{accounts.noTraits}</p>;
  if (none && !first) return none;
  return (
    <>
      <dl>
        {first}
        {entries.map(([name, value]) => (
          <div key={name} class="trait">
            <dt>{nameTrait(name, words)}</dt>
            <dd translate={false}>{breakable(writeTrait(name, value, words, locale))}</dd>
          </div>
        ))}
      </dl>
      {none}
    </>
  );
}

/** Lets a big number break between its groups of digits, and not within one. No value has a line break. */
const breakable = (written: string) =>
  written
    .replace(/(\d\D)(?=\d)/g, "$1\n")
    .split("\n")
    .map((group, i) => (
      <Fragment key={i}>
        {i > 0 && <wbr />}
        {group}
      </Fragment>
    ));
