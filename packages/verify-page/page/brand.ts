/** The operator's face, as the service has put it into the document. */
export function readBrand(): { readonly name: string | undefined; readonly logo: string | undefined } {
  const name = document.querySelector<HTMLMetaElement>("meta[name=brand]")?.content;
  const logo = document.querySelector<HTMLImageElement>(".mark.own")?.src;
  return { name, logo };
}
