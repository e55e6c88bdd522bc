import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/**
 * One of several that are as good as each other: a wallet, or a provider.
 *
 * @param props.icon An address of data; by default, or if it shows nothing, the name's first letter.
 * @param props.note A note in small print, at the end of the row.
 * @param props.children Shown beside the name.
 */
export function Choice(props: {
  name: string;
  icon?: string | undefined;
  note?: string | undefined;
  busy?: boolean;
  onClick: () => void;
  children?: ComponentChildren;
}) {
  const { name, icon, note, busy = false, onClick, children } = props;
  const [broken, setBroken] = useState<string>();
  return (
    <button type="button" class="choice" aria-disabled={busy} onClick={onClick}>
      {icon && icon !== broken ? (
        <img src={icon} alt="" onError={() => setBroken(icon)} />
      ) : (
        <span class="no-icon" aria-hidden="true">
          {[...name][0]}
        </span>
      )}
      <span class="name">
        <span translate={false}>{name}</span> {children}
      </span>
      {note && <span class="quiet-text">{note}</span>}
    </button>
  );
}
