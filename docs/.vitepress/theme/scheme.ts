const asked = "(prefers-color-scheme: dark)";

/** Shows pictures in the colours of the site's switch, not only in the system's. Returns what to call for a new page. */
export function followScheme(): () => void {
  const html = document.documentElement;
  const update = () => {
    const isDark = html.classList.contains("dark");
    for (const source of document.querySelectorAll<HTMLSourceElement>("picture source")) {
      source.dataset.media ??= source.media;
      source.media = source.dataset.media.replace(asked, isDark ? "(min-width: 0)" : "(max-width: 0)");
    }
  };
  new MutationObserver(update).observe(html, { attributeFilter: ["class"] });
  return update;
}
