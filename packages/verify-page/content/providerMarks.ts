/**
 * The pictures beside providers' names. They are drawn for this project, because the companies restrict the use of their
 * logos.
 */
const marks: Readonly<Record<string, readonly [ground: string, picture: string]>> = {
  // Lines of text.
  microblog: ["#14171a", '<path d="M7 9h18v12H15l-5 4v-4H7z"/><path d="M11.5 13.5h9M11.5 16.8h6"/>'],
  // Arrows in both directions.
  exchange: ["#0052ff", '<path d="M8 12.5h15l-4-4M24 19.5H9l4 4"/>'],
  // A camera.
  photo_social: [
    "#b5307d",
    '<rect x="8" y="8" width="16" height="16" rx="5"/><circle cx="16" cy="16" r="3.8"/><path d="M20.4 11.6h.1"/>',
  ],
  // A film that begins.
  short_video: [
    "#161823",
    '<rect x="9.5" y="6.5" width="13" height="19" rx="3"/><path d="M14 12.5v7l5-3.5z"/>',
  ],
};

/** The colour on which a provider's mark stands. */
export const providerGround = (name: string): string | undefined => marks[name]?.[0];

/** A provider's mark as SVG; nothing for one without. */
export function providerMark(name: string): string | undefined {
  const found = marks[name];
  if (found === undefined) return undefined;
  const [ground, picture] = found;
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" class="mark" viewBox="0 0 32 32" aria-hidden="true">' +
    `<rect width="32" height="32" rx="7" fill="${ground}"/>` +
    `<g fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${picture}</g></svg>`
  );
}
