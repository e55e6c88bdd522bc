import { useTexts } from "../shared/language.tsx";
import { Address } from "./Address.tsx";
import type { Page } from "./page.ts";
import { verifyTexts } from "./texts.ts";

/** The wallet that this is about, unless it is the one that the app asks for: that stands at the top of every screen. */
export function YourWallet({ page, wallet }: { page: Page; wallet: string }) {
  const { address } = useTexts(verifyTexts);
  if (wallet === page.overview.askedWallet) return null;
  return (
    <p class="quiet-text">
      {address.yours} <Address wallet={wallet} />
    </p>
  );
}
