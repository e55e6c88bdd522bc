import { useEffect, useState } from "preact/hooks";
import { type OnchainPolicy, readPolicy } from "../../chain/policy.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import type { Condition } from "../../protocol/policy.ts";
import type { Consumer } from "./consumers.ts";
import { texts } from "./texts.tsx";

const signs: Readonly<Record<string, string>> = { eq: "=", gt: ">", gte: "≥", lt: "<", lte: "≤" };

/** What a contract demands, read from the chain when somebody looks. */
export function PolicyDetails({ node, consumer }: { node: Eip1193Connection; consumer: Consumer }) {
  const [isOpen, setOpen] = useState(false);
  const [found, setFound] = useState<OnchainPolicy>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    setFound(undefined);
    setFailed(false);
    if (isOpen) readPolicy(node, consumer.address).then(setFound, () => setFailed(true));
  }, [node, consumer.address, isOpen]);
  return (
    <details class="policy" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.policy.summary}</summary>
      {failed && <p class="notice bad">{texts.policy.unreadable}</p>}
      <dl>
        <div>
          <dt>{texts.policy.contract}</dt>
          <dd>
            {consumer.name} <code>{consumer.address}</code>
          </dd>
        </div>
        <div>
          <dt>{texts.policy.provider}</dt>
          <dd>{found ? <code>{found.policy.provider}</code> : "…"}</dd>
        </div>
        <div>
          <dt>{texts.policy.conditions}</dt>
          <dd>{found ? found.policy.conditions.map(writeCondition).join(", ") : "…"}</dd>
        </div>
        {found !== undefined && found.cutoffBlock > 0n && (
          <div>
            <dt>{texts.policy.since}</dt>
            <dd>{texts.policy.block(new Intl.NumberFormat("en").format(found.cutoffBlock))}</dd>
          </div>
        )}
      </dl>
      <p class="quiet-text">{texts.policy.fromChain}</p>
    </details>
  );
}

const writeCondition = ({ name, op, value }: Condition) => `${name} ${signs[op] ?? op} ${value}`;
