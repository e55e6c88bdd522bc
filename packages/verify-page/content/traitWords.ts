import type { Catalogue } from "@hardhat-identity/protocol/languages";

/** The names of traits and their values, in one language. */
export interface TraitWords {
  readonly traits: Readonly<Record<string, string>>;
  /** Values that have a name, by the trait and the value. */
  readonly values: Readonly<Record<string, string>>;
  readonly yes: string;
  readonly no: string;
}

// cspell:disable
/** The words in which a provider's page and the verify page show what was read of an account. */
export const traitWords: Catalogue<TraitWords> = {
  en: {
    traits: {
      followers: "Followers",
      verified: "Verified by the platform",
      verified_type: "Badge",
      exchange_membership_active: "Membership active",
      exchange_membership_billed: "Membership paid",
      followers_count: "Followers",
      username: "User name",
      follower_count: "Followers",
      following_count: "Following",
      likes_count: "Likes",
      video_count: "Videos",
    },
    values: {},
    yes: "yes",
    no: "no",
  },
  es: {
    traits: {
      followers: "Seguidores",
      verified: "Verificada por la plataforma",
      verified_type: "Insignia",
      exchange_membership_active: "Suscripción activa",
      exchange_membership_billed: "Suscripción pagada",
      followers_count: "Seguidores",
      username: "Nombre de usuario",
      follower_count: "Seguidores",
      following_count: "Sigue a",
      likes_count: "Me gusta",
      video_count: "Vídeos",
    },
    values: {
      "verified_type blue": "azul",
      "verified_type business": "empresa",
      "verified_type government": "gobierno",
      "verified_type none": "ninguna",
    },
    yes: "sí",
    no: "no",
  },
};
// cspell:enable

/** Returns a trait's name; of a trait without one, its words: `verified_type` → `Verified type`. */
export function nameTrait(trait: string, { traits }: TraitWords): string {
  const words = trait.replaceAll("_", " ");
  return Object.hasOwn(traits, trait)
    ? String(traits[trait])
    : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The traits whose values are texts: `12000` in them is no number, and `true` not "yes". */
const textTraits = ["username", "verified_type"];

/** Writes a trait's value for people. */
export function writeTrait(
  trait: string,
  value: string,
  { values, yes, no }: TraitWords,
  locale: string,
): string {
  const name = `${trait} ${value}`;
  if (Object.hasOwn(values, name)) return String(values[name]);
  if (textTraits.includes(trait)) return value;
  if (value === "true") return yes;
  if (value === "false") return no;
  return /^-?\d+$/.test(value) ? new Intl.NumberFormat(locale).format(BigInt(value)) : value;
}
