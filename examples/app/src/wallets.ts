import { useEffect, useState } from "react";
import type { EIP1193Provider } from "viem";

/** A wallet of the browser's, as it announces itself (EIP-6963). */
export interface AnnouncedWallet {
  /** `rdns` is the same whenever the page is loaded. */
  readonly info: { readonly rdns: string; readonly name: string };
  readonly provider: EIP1193Provider;
}

/** Every wallet of the browser; those that announce themselves later are added. */
export function useWallets(): readonly AnnouncedWallet[] {
  const [wallets, setWallets] = useState<readonly AnnouncedWallet[]>([]);
  useEffect(() => {
    const add = ({ detail }: CustomEvent<AnnouncedWallet>) =>
      setWallets((known) => [...known.filter(({ info }) => info.rdns !== detail.info.rdns), detail]);
    addEventListener("eip6963:announceProvider", add);
    dispatchEvent(new Event("eip6963:requestProvider"));
    return () => removeEventListener("eip6963:announceProvider", add);
  }, []);
  return wallets;
}

declare global {
  interface WindowEventMap {
    "eip6963:announceProvider": CustomEvent<AnnouncedWallet>;
  }
}
