import { useTexts } from "../shared/language.tsx";
import { demoTexts } from "./texts.ts";

/** One person, her two wallets, and the contract that lets her in once. */
export function StoryPicture() {
  const { picture } = useTexts(demoTexts);
  return (
    <svg class="picture" viewBox="0 0 248 112" role="img" aria-label={picture}>
      <circle cx="26" cy="44" r="9" />
      <path d="M10 76c0-22 32-22 32 0M50 50l32-18M50 62l32 18" />
      <rect x="94" y="6" width="24" height="42" rx="5" />
      <path d="M102 41h8" />
      <rect x="90" y="64" width="32" height="24" rx="3" />
      <path d="M83 96h46" />
      <path class="good" d="M134 28h22M164 27l6 6 11-13" />
      <path class="bad" d="M134 80h22M165 73l14 14M179 73l-14 14" />
      <rect class="contract" x="194" y="10" width="48" height="90" rx="6" />
      <path d="M206 34h24M206 50h24M206 66h14" />
    </svg>
  );
}
