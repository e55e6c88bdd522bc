import { useTexts } from "./language.tsx";
import { sharedTexts } from "./texts.ts";
import { shortenAddress } from "./words.ts";

/** Which account of a wallet is meant, where it offers several. */
export function AccountChoice(props: {
  accounts: readonly string[];
  chosen: string;
  choose: (account: string) => void;
}) {
  const texts = useTexts(sharedTexts);
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
            {texts.accountNumber(i + 1)} · {shortenAddress(account)}
          </option>
        ))}
      </select>
    </p>
  );
}
