import type { Curve } from "../curve/curve.ts";
import type { KeyLocation } from "./keyLocation.ts";
import type { KeySource } from "./keySource.ts";
import { keystoreSource } from "./keystore.ts";
import { moduleSource } from "./moduleKey.ts";
import { pkcs11Source } from "./pkcs11.ts";
import { privateKeySource } from "./privateKey.ts";

/**
 * Opens a key where it is.
 *
 * @param setting The variable that says where, for error messages.
 */
export async function openKeySource(
  location: KeyLocation,
  setting: string,
  curve: Curve,
): Promise<KeySource> {
  switch (location.kind) {
    case "keystore":
      return keystoreSource(location, curve, setting);
    case "module":
      return moduleSource(location.file, curve, setting);
    case "pkcs11":
      return pkcs11Source(location.uri, curve, setting);
    case "private-key":
      return privateKeySource(location.privateKey, curve, setting);
  }
}
