/** Our mark: one of many, ticked. */
const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
  '<circle cx="16" cy="16" r="15" fill="#1f5fa8"/>' +
  '<path d="m9.5 16.5 4.5 4.5 9-10" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/>' +
  "</svg>";

/** It as a data URL, for the icon of every page. */
export const markUrl = `data:image/svg+xml,${encodeURIComponent(mark)}`;
