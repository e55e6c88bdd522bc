/** Our mark: two wallets, one person. `docs/public/mark.svg` is the same. */
const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#1f5fa8" stroke-width="2.5">' +
  '<rect x="2" y="4" width="20" height="16" rx="3.5"/>' +
  '<rect x="10" y="12" width="20" height="16" rx="3.5"/>' +
  '<circle cx="16" cy="16" r="2.6" fill="#1f5fa8" stroke="none"/>' +
  "</svg>";

/** The mark as a data URL, for the icon of every page. */
export const markUrl = `data:image/svg+xml,${mark.replace(/[<>#]/g, encodeURIComponent).replaceAll('"', "'")}`;
