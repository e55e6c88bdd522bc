import type { Theme } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { definePlayableStory } from "./playableStory.ts";
import { followScheme } from "./scheme.ts";
import { joinTabs } from "./tabs.ts";
import "./style.css";

export default {
  extends: theme,
  enhanceApp({ router }) {
    if (import.meta.env.SSR) return;
    definePlayableStory();
    const pageIsThere = [followScheme(), joinTabs()];
    router.onAfterPageLoad = () => {
      // Its elements come a moment later.
      requestAnimationFrame(() => {
        for (const call of pageIsThere) call();
      });
    };
  },
} satisfies Theme;
