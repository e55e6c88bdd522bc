import type { AuditEvent } from "./auditEntry.ts";
import type { AuditTrail } from "./trail.ts";

type Signed = Omit<Extract<AuditEvent, { event: "verification-signed" }>, "event" | "chainId">;

/** Enters what is signed, and with which key. */
export interface SignatureAudit {
  /** Enters which key signs, unless the last entry of this process says so already. */
  noteSigner(signer: string): Promise<void>;
  /** Enters a verification. It must not leave before. */
  enter(signed: Signed & { readonly wallet: string }): Promise<void>;
}

/** @param input.wallets Whether a wallet may stand beside its identity hash. */
export function auditSignatures(input: {
  trail: Pick<AuditTrail, "enter">;
  chainId: number;
  wallets: boolean;
}): SignatureAudit {
  const { trail, chainId, wallets } = input;
  let noted: string | undefined;

  async function noteSigner(signer: string): Promise<void> {
    if (signer === noted) return;
    await trail.enter({ event: "signer-used", chainId, signer });
    noted = signer;
  }

  return {
    noteSigner,
    async enter({ wallet, ...signed }) {
      if (signed.signer !== noted) await noteSigner(signed.signer);
      const event = "verification-signed";
      await trail.enter({ event, chainId, ...signed, ...(wallets ? { wallet } : {}) });
    },
  };
}
