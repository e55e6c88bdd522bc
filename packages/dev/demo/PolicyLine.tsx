import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { Policy } from "@hardhat-identity/protocol/policy";
import { nameTrait, writeTrait } from "@hardhat-identity/verify-page/content/traitWords";
import { useLanguage, useTexts } from "@hardhat-identity/verify-page/shared/language.tsx";
import { sharedTexts } from "@hardhat-identity/verify-page/shared/texts";
import { useEffect, useState } from "preact/hooks";
import { readPolicy } from "./chain.ts";
import { demoTexts } from "./texts.ts";

/** The policy of a contract in words. Empty until the chain has answered, and if the contract does not say. */
export function PolicyLine({ node, consumer }: { node: Eip1193Connection; consumer: string }) {
  const { own } = useTexts(demoTexts);
  const words = useTexts(sharedTexts);
  const { locale } = useLanguage();
  const [policy, setPolicy] = useState<Policy>();
  useEffect(() => void readPolicy(node, consumer).then(setPolicy, () => undefined), []);
  const conditions = policy?.conditions.map(({ name, op, value }) => {
    const written = writeTrait(name, value, words, locale);
    return `${nameTrait(name, words)}: ${own.operators[op]?.(written) ?? `${op} ${written}`}`;
  });
  return (
    <p class="policy">
      {policy && (
        <>
          <b>{own.policy}</b> {[nameTrait(policy.provider, words), ...(conditions ?? [])].join(" · ")}
        </>
      )}
    </p>
  );
}
