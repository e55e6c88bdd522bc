import type { Theme } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { h } from "vue";
import { NotFound } from "./notFound.ts";
import { definePlayableStory } from "./playableStory.ts";
import { followScheme } from "./scheme.ts";
import { finishSidebar } from "./sidebar.ts";
import { joinTabs } from "./tabs.ts";
import "./style.css";

export default {
  extends: theme,
  Layout: () => h(theme.Layout, null, { "not-found": () => h(NotFound) }),
  enhanceApp({ router }) {
    if (import.meta.env.SSR) return;
    definePlayableStory();
    const pageIsThere = [followScheme(), joinTabs(), finishSidebar];
    router.onAfterPageLoad = () => {
      // Its elements come a moment later.
      requestAnimationFrame(() => {
        for (const call of pageIsThere) call();
      });
    };
  },
} satisfies Theme;
