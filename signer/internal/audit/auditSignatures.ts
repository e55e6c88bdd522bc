import type { AuditEvent } from "./auditEntry.ts";
import type { AuditTrail } from "./trail.ts";

type Signed = Omit<Extract<AuditEvent, { event: "verification-signed" }>, "event" | "chainId">;

/** Enters signatures and signers in the audit trail. */
export interface SignatureAudit {
  /** Enters the signer, unless it is the last one that this process has entered. */
  noteSigner(signer: string): Promise<void>;
  /** Enters a verification, which must not be sent before this resolves. */
  enter(signed: Signed): Promise<void>;
}

/** A verification's entry has no wallet, which would reveal whose the identity hash is. */
export function auditSignatures(input: {
  trail: Pick<AuditTrail, "enter">;
  chainId: number;
}): SignatureAudit {
  const { trail, chainId } = input;
  let noted: string | undefined;

  async function noteSigner(signer: string): Promise<void> {
    if (signer === noted) return;
    await trail.enter({ event: "signer-used", chainId, signer });
    noted = signer;
  }

  return {
    noteSigner,
    async enter(signed) {
      if (signed.signer !== noted) await noteSigner(signed.signer);
      const event = "verification-signed";
      await trail.enter({ event, chainId, ...signed });
    },
  };
}
