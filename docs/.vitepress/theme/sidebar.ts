import { defineAsyncComponent, defineComponent, h, hydrateOnMediaQuery, onMounted } from "vue";

/**
 * The theme's sidebar. To bring it to life is as much work as the rest of the page: below the width at which the theme
 * shows it, this waits until it is opened.
 */
export default defineAsyncComponent({
  hydrate: hydrateOnMediaQuery("(min-width: 960px)"),
  async loader() {
    const { default: sidebar } = await import("vitepress/dist/client/theme-default/components/VPSidebar.vue");
    return defineComponent({
      inheritAttrs: false,
      setup(_props, { attrs, slots }) {
        onMounted(() => {
          // It has unfolded the group of the open page, and the style need not any more.
          document.documentElement.classList.add("alive");
          finishSidebar();
        });
        return () => h(sidebar, attrs, slots);
      },
    });
  },
});

/**
 * Takes the role of a button from the arrows in the sidebar: each is a part of the button that is its group's name. To be
 * called for a new page.
 */
export function finishSidebar(): void {
  for (const arrow of document.querySelectorAll(".VPSidebarItem [role=button] > .caret")) {
    for (const name of ["role", "tabindex", "aria-label"]) arrow.removeAttribute(name);
  }
}
