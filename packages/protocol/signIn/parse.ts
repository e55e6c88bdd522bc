import { checksumAddress, isAddress } from "../address.ts";
import { charactersOf, digit, digits, findOther, letters, nameCharacter } from "./characters.ts";
import { checkMessageLength } from "./limit.ts";
import { LineReader } from "./lineReader.ts";
import { parseDateTime } from "./rfc3339.ts";
import {
  findAuthorityFlaw,
  findSchemeEnd,
  findUriFlaw,
  inSegment,
  reservedAndUnreserved,
} from "./rfc3986.ts";

/** A sign-in message as EIP-4361's grammar defines it. */
export interface ParsedSignIn {
  readonly domain: string;
  /** EIP-55 checksummed. */
  readonly address: string;
  readonly statement: string | undefined;
  readonly uri: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly issuedAt: Date;
  readonly expirationTime: Date | undefined;
  readonly notBefore: Date | undefined;
  readonly resources: readonly string[];
}

/**
 * Parses an EIP-4361 message in linear time. It never repairs a message that the grammar refuses. `checkSignIn` has the
 * rules beyond the grammar.
 *
 * @throws InvalidInputError naming the line; for more than 4,096 bytes, before parsing.
 */
export function parseSignIn(message: string): ParsedSignIn {
  checkMessageLength(message);
  const lines = new LineReader(message);
  const domain = readDomain(lines);
  const address = readAddress(lines);
  const statement = readStatement(lines);
  const uri = readUri(lines, "URI: ");
  readVersion(lines);
  const chainId = readChainId(lines);
  const nonce = readNonce(lines);
  const issuedAt = readTime(lines, "Issued At: ");
  const expirationTime = lines.has("Expiration Time: ") ? readTime(lines, "Expiration Time: ") : undefined;
  const notBefore = lines.has("Not Before: ") ? readTime(lines, "Not Before: ") : undefined;
  if (lines.has("Request ID: ")) readRequestId(lines);
  const resources = lines.has("Resources:") ? readResources(lines) : [];
  lines.requireEnd();
  return { domain, address, statement, uri, chainId, nonce, issuedAt, expirationTime, notBefore, resources };
}

const invitation = " wants you to sign in with your Ethereum account:";

/** `[ scheme "://" ] domain`, whose domain is an authority of RFC 3986. */
function readDomain(lines: LineReader): string {
  const line = lines.take();
  if (!line.endsWith(invitation)) throw lines.refuse(`"<domain>${invitation}" is wanted`);
  const origin = line.slice(0, -invitation.length);
  const schemeEnd = findSchemeEnd(origin);
  const hasScheme = schemeEnd !== undefined && origin.startsWith("://", schemeEnd);
  const domain = hasScheme ? origin.slice(schemeEnd + 3) : origin;
  if (domain === "") throw lines.refuse("the domain is empty");
  const flaw = findAuthorityFlaw(domain);
  if (flaw !== undefined) throw lines.refuse(`the domain ${flaw}`);
  return domain;
}

/** Returns a copy: a slice would keep the whole message in memory for as long as the wallet is remembered. */
function readAddress(lines: LineReader): string {
  const line = lines.take();
  if (!isAddress(line)) throw lines.refuse("an address is wanted, 0x and 40 hex digits");
  const address = checksumAddress(line);
  if (line !== address) throw lines.refuse("the address does not have its EIP-55 checksum");
  return address;
}

const inStatement = charactersOf(`${reservedAndUnreserved} `);

/** The statement between two empty lines. It may be empty. If it is missing, the empty lines follow each other. */
function readStatement(lines: LineReader): string | undefined {
  lines.takeEmpty();
  const statement = lines.take();
  if (statement === "") {
    if (!lines.has("\n")) return undefined;
  } else {
    const at = findOther(statement, inStatement);
    if (at < statement.length) throw lines.refuse(`the statement has ${nameCharacter(statement, at)}`);
  }
  lines.takeEmpty();
  return statement;
}

function readUri(lines: LineReader, title: "URI: " | "- "): string {
  const uri = lines.takeField(title);
  const flaw = findUriFlaw(uri);
  if (flaw !== undefined) throw lines.refuse(`the ${title === "- " ? "resource" : "URI"} ${flaw}`);
  return uri;
}

function readVersion(lines: LineReader): void {
  if (lines.takeField("Version: ") !== "1") throw lines.refuse("Version must be 1");
}

function readChainId(lines: LineReader): number {
  const text = lines.takeField("Chain ID: ");
  if (text === "" || findOther(text, digit) < text.length) throw lines.refuse("Chain ID must be digits");
  const chainId = Number(text);
  if (!Number.isSafeInteger(chainId)) throw lines.refuse("Chain ID is above 2^53 - 1");
  return chainId;
}

const inNonce = charactersOf(`${letters}${digits}`);

function readNonce(lines: LineReader): string {
  const nonce = lines.takeField("Nonce: ");
  if (nonce.length < 8 || findOther(nonce, inNonce) < nonce.length) {
    throw lines.refuse("Nonce must be 8 or more letters and digits");
  }
  return nonce;
}

function readTime(lines: LineReader, title: "Issued At: " | "Expiration Time: " | "Not Before: "): Date {
  const time = parseDateTime(lines.takeField(title));
  if (time === undefined) throw lines.refuse(`${title.slice(0, -2)} must be a date and time of RFC 3339`);
  return time;
}

/** `*pchar`, which is of no use here. */
function readRequestId(lines: LineReader): void {
  const id = lines.takeField("Request ID: ");
  const at = findOther(id, inSegment);
  if (at < id.length) throw lines.refuse(`Request ID has ${nameCharacter(id, at)}`);
}

function readResources(lines: LineReader): string[] {
  if (lines.takeField("Resources:") !== "") throw lines.refuse("Resources: must be all of its line");
  const resources: string[] = [];
  while (lines.has("- ")) resources.push(readUri(lines, "- "));
  return resources;
}
