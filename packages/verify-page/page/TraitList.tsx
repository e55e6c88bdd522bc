import { Fragment } from "preact";
import { nameTrait, writeTrait } from "../content/traitWords.ts";
import { useLanguage, useTexts } from "../shared/language.tsx";
import { sharedTexts } from "../shared/texts.ts";
import { writeMoment } from "../shared/words.ts";
import { verifyTexts } from "./texts.ts";

/**
 * Everything that is stored of an account, or would be.
 *
 * @param props.authenticatedAt Unix seconds.
 */
export function TraitList(props: { traits: Readonly<Record<string, string>>; authenticatedAt: number }) {
  const { traits, authenticatedAt } = props;
  const { accounts } = useTexts(verifyTexts);
  const words = useTexts(sharedTexts);
  const { locale } = useLanguage();
  const entries = Object.entries(traits);
  return (
    <>
      <dl>
        {entries.map(([name, value]) => (
          <div key={name} class="trait">
            <dt>{nameTrait(name, words)}</dt>
            <dd translate={false}>{breakable(writeTrait(name, value, words, locale))}</dd>
          </div>
        ))}
        <div class="trait">
          <dt>{accounts.time}</dt>
          <dd>{writeMoment(authenticatedAt, words, locale)}</dd>
        </div>
        <div class="trait">
          <dt>{accounts.accountId}</dt>
          <dd>{accounts.asCode}</dd>
        </div>
      </dl>
      {entries.length === 0 && <p>{accounts.noTraits}</p>}
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
