import { useTexts } from "./language.tsx";
import { sharedTexts } from "./texts.ts";
import { shortenAddress } from "./words.ts";

/**
 * Which account of a wallet is meant, where it offers several.
 *
 * @param props.isDevelopment Whether they are the local chain's: these have the numbers of the option `--account`.
 * @param props.owners The names of the accounts' owners, where they are known.
 */
export function AccountChoice(props: {
  accounts: readonly string[];
  isDevelopment: boolean;
  owners?: ReadonlyMap<string, string>;
  chosen: string;
  choose: (account: string) => void;
}) {
  const texts = useTexts(sharedTexts);
  const name = (account: string, i: number) =>
    props.isDevelopment
      ? [shortenAddress(account), `--account ${i}`, props.owners?.get(account)].filter(Boolean).join(" · ")
      : `${texts.accountNumber(i + 1)} · ${shortenAddress(account)}`;
  return (
    <p>
      <label for="account">{texts.account}</label>{" "}
      <select
        id="account"
        value={props.chosen}
        title={props.chosen}
        onChange={({ currentTarget }) => props.choose(currentTarget.value)}
      >
        {props.accounts.map((account, i) => (
          <option key={account} value={account} translate={false}>
            {name(account, i)}
          </option>
        ))}
      </select>
    </p>
  );
}
