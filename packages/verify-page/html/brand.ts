import type { Accent } from "./accent.ts";

/** The operator's face on the pages that people see. */
export interface Brand {
  readonly name: string;
  readonly logo?: Logo;
  readonly accent?: Accent;
  /** The operator's privacy notice. */
  readonly privacyUrl?: string;
}

export interface Logo {
  readonly type: "image/svg+xml" | "image/png" | "image/webp";
  readonly body: Buffer;
}
