/**
 * Shows the script's state to the style, and takes the role of a button from the arrows in the sidebar: each is a part of
 * the button that is its group's name. To be called for a new page.
 */
export function finishSidebar(): void {
  document.documentElement.classList.add("alive");
  for (const arrow of document.querySelectorAll(".VPSidebarItem [role=button] > .caret")) {
    for (const name of ["role", "tabindex", "aria-label"]) arrow.removeAttribute(name);
  }
}
