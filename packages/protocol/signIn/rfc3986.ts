import { charactersOf, digit, digits, findOther, hexDigit, letters, nameCharacter } from "./characters.ts";

const unreserved = `${letters}${digits}-._~`;
const subDelims = "!$&'()*+,;=";
/** `reserved` and `unreserved`. */
export const reservedAndUnreserved = `${unreserved}${subDelims}:/?#[]@`;

const letter = charactersOf(letters);
const inScheme = charactersOf(`${letters}${digits}+-.`);
const inUserinfo = charactersOf(`${unreserved}%${subDelims}:`);
const inFutureAddress = charactersOf(`${unreserved}${subDelims}:`);
const inName = charactersOf(`${unreserved}%${subDelims}`);
/** `pchar`. */
export const inSegment = charactersOf(`${unreserved}%${subDelims}:@`);
const inPath = charactersOf(`${unreserved}%${subDelims}:@/`);
const inQuery = charactersOf(`${unreserved}%${subDelims}:@/?`);

/** The highest port of TCP and UDP. RFC 3986 itself has no limit. */
const maxPort = 65_535;

/**
 * `URI = scheme ":" hier-part [ "?" query ] [ "#" fragment ]`. A path without an authority must not begin with `//`.
 *
 * @returns The flaw; undefined if the text is valid.
 */
export function findUriFlaw(text: string): string | undefined {
  const colon = findSchemeEnd(text);
  if (colon === undefined) return "has no scheme";
  let at = colon + 1;
  if (text.startsWith("//", at)) {
    const rest = text.slice(at + 2);
    const length = rest.search(/[/?#]/);
    const authority = length === -1 ? rest : rest.slice(0, length);
    const flaw = findAuthorityFlaw(authority);
    if (flaw !== undefined) return flaw;
    at += 2 + authority.length;
  }
  let part = "path";
  at = findOther(text, inPath, at);
  if (text[at] === "?") {
    part = "query";
    at = findOther(text, inQuery, at + 1);
  }
  if (text[at] === "#") {
    part = "fragment";
    at = findOther(text, inQuery, at + 1);
  }
  return at === text.length ? undefined : `has ${nameCharacter(text, at)} in its ${part}`;
}

/** The index of the colon that ends `scheme`; `undefined` if the text does not begin with a scheme. */
export function findSchemeEnd(text: string): number | undefined {
  const end = findOther(text, inScheme);
  return letter[text.charCodeAt(0)] === 1 && text[end] === ":" ? end : undefined;
}

/**
 * `authority = [ userinfo "@" ] host [ ":" port ]`
 *
 * @returns The flaw; undefined if the text is valid.
 */
export function findAuthorityFlaw(text: string): string | undefined {
  const userinfoEnd = text.indexOf("@");
  if (userinfoEnd !== -1) {
    const at = findOther(text, inUserinfo);
    if (at !== userinfoEnd) return `has ${nameCharacter(text, at)} in its userinfo`;
  }
  const host = userinfoEnd + 1;
  let at: number;
  if (text[host] === "[") {
    const end = text.indexOf("]", host);
    if (end === -1) return "has no ] after the address in its host";
    const address = text.slice(host + 1, end);
    if (!isIpv6Address(address) && !isFutureAddress(address)) {
      return "has something else than an IPv6 address of RFC 3986 between the brackets of its host";
    }
    at = end + 1;
  } else {
    // Every IPv4address is also a reg-name.
    at = findOther(text, inName, host);
  }
  if (at === text.length) return undefined;
  if (text[at] !== ":") return `has ${nameCharacter(text, at)} in its host`;
  const end = findOther(text, digit, at + 1);
  if (end !== text.length) return `has ${nameCharacter(text, end)} in its port`;
  return Number(text.slice(at + 1)) > maxPort ? `has a port above ${maxPort}` : undefined;
}

/** `IPv6address`: eight groups, or up to seven and one `::`; an `IPv4address` stands for the last two. */
function isIpv6Address(text: string): boolean {
  let groups = 0;
  let isShortened = text.startsWith("::");
  let at = isShortened ? 2 : 0;
  while (at < text.length) {
    const end = findOther(text, hexDigit, at);
    if (text[end] === ".") {
      if (!ipv4Address.test(text.slice(at))) return false;
      groups += 2;
      break;
    }
    if (end === at || end > at + 4) return false;
    groups += 1;
    at = end;
    if (at === text.length) break;
    if (text.startsWith("::", at) && !isShortened) {
      isShortened = true;
      at += 2;
    } else if (text[at] === ":" && at + 1 < text.length) at += 1;
    else return false;
  }
  return isShortened ? groups <= 7 : groups === 8;
}

const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const ipv4Address = new RegExp(`^${octet}(?:\\.${octet}){3}$`);

/** `IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )` */
function isFutureAddress(text: string): boolean {
  if (text[0] !== "v" && text[0] !== "V") return false;
  const dot = findOther(text, hexDigit, 1);
  return (
    dot > 1 &&
    text[dot] === "." &&
    dot + 1 < text.length &&
    findOther(text, inFutureAddress, dot + 1) === text.length
  );
}
