import { randomBytes } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { getBytes } from "ethers";
import { z } from "zod";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { deriveKey, keyId } from "../../../protocol/keys.ts";
import { createSeal, type Seal } from "../database/seal.ts";

/** The chain of an export and its counts, not encrypted. The last line of the file authenticates them. */
export interface ExportHeader {
  /** `undefined` if no service has opened the store yet. */
  readonly chainId: number | undefined;
  readonly credentials: number;
  readonly pins: number;
}

/*
 * An export consists of lines of text. The first one is a JSON header, padded with spaces because it is written last.
 * Each further line is a part, sealed for its place in this file. The last line is sealed for its place and the header.
 */
const format = "hardhat-identity-export";
const version = 1;
const headerLength = 512;
/** The length limit of a line in bytes, far above a part with the longest traits. */
const longestLine = 64 * 1024 * 1024;

const fileHeader = z.object({
  format: z.literal(format),
  version: z.number(),
  /** The id of the key that the file is encrypted with. */
  keyId: z.string(),
  /** The id of the file. Its parts cannot be opened in another file. */
  id: z.string(),
  chainId: z.number().optional(),
  credentials: z.number(),
  pins: z.number(),
});

function createSeals(masterSecret: string): { id: string; part: Seal; end: Seal } {
  const key = deriveKey(getBytes(masterSecret), "export");
  return { id: keyId(key), part: createSeal(key, "part"), end: createSeal(key, "end") };
}

/**
 * Writes an export into an empty file.
 *
 * @param write Adds one part after the other and returns the header.
 */
export async function writeExport(
  path: string,
  masterSecret: string,
  write: (add: (part: object) => Promise<void>) => Promise<ExportHeader>,
): Promise<ExportHeader> {
  const seals = createSeals(masterSecret);
  const id = randomBytes(16).toString("hex");
  const file = await open(path, "r+");
  let end = headerLength;
  async function append(line: string): Promise<void> {
    const bytes = Buffer.from(`${line}\n`);
    await writeAll(file, bytes, end);
    end += bytes.length;
  }
  try {
    let parts = 0;
    const written = await write((part) => append(seals.part.close([id, parts++], part)));
    const known: z.infer<typeof fileHeader> = { format, version, keyId: seals.id, id, ...written };
    const header = JSON.stringify(known).padEnd(headerLength - 1);
    await append(seals.end.close([id, parts, header], {}));
    await writeAll(file, Buffer.from(`${header}\n`), 0);
    return written;
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await file.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
  }
}

/** An open export. */
export interface ExportFile {
  readonly header: ExportHeader;
  /**
   * Reads the parts from the first on, one at a time.
   *
   * @throws InvalidInputError at the first part that is not authentic, and at the end when parts were added or removed.
   */
  parts(): AsyncGenerator<unknown>;
  close(): Promise<void>;
}

/**
 * Opens an export. None of its content is authenticated until {@link ExportFile.parts} has completed once.
 *
 * @throws InvalidInputError when the file is not an export, or was made with another master secret or by a later
 * release.
 */
export async function openExport(path: string, masterSecret: string): Promise<ExportFile> {
  const seals = createSeals(masterSecret);
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    throw new InvalidInputError(`${path} cannot be read (${error.code}).`);
  });
  try {
    const text = await readHeader(file);
    const known = parseHeader(path, text, seals.id);
    return {
      header: { chainId: known.chainId, credentials: known.credentials, pins: known.pins },
      parts: () => readParts(file, path, seals, known.id, text),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readHeader(file: FileHandle): Promise<string> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(headerLength), 0, headerLength, 0);
  return buffer.toString("utf8", 0, bytesRead).replace(/\n$/, "");
}

function parseHeader(path: string, text: string, ownKeyId: string): z.infer<typeof fileHeader> {
  const header = fileHeader.safeParse(parseJson(text)).data;
  if (header === undefined) throw new InvalidInputError(`${path} is not an export of a credential store.`);
  if (header.version !== version) {
    throw new InvalidInputError(
      `${path} has version ${header.version} of the format, and this release supports ${version}. Use the release that wrote it, or a later one.`,
    );
  }
  if (header.keyId !== ownKeyId) {
    throw new InvalidInputError(
      `${path} was exported with another master secret (IDENTITY_MASTER_SECRET): its key id is ${header.keyId}, and this one's is ${ownKeyId}. Only a store with the same master secret can import it.`,
    );
  }
  return header;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* readParts(
  file: FileHandle,
  path: string,
  { part, end }: { part: Seal; end: Seal },
  id: string,
  header: string,
): AsyncGenerator<unknown> {
  const refuse = () =>
    new InvalidInputError(`${path} is not as it was exported: a part of it was changed, moved or cut off.`);
  const openWith = (seal: Seal, place: readonly unknown[], line: string) => {
    try {
      return seal.open(place, line);
    } catch {
      throw refuse();
    }
  };
  let number = 0;
  let isEnded = false;
  for await (const line of readLines(file, refuse)) {
    if (isEnded) throw refuse();
    isEnded = line.startsWith("end.");
    if (isEnded) openWith(end, [id, number, header], line);
    else yield openWith(part, [id, number++], line);
  }
  if (!isEnded) throw refuse();
}

/** Reads the lines after the header, with one line in memory at a time. */
async function* readLines(file: FileHandle, refuse: () => Error): AsyncGenerator<string> {
  const buffer = Buffer.alloc(1024 * 1024);
  let begun: Buffer[] = [];
  let length = 0;
  for (let position = headerLength; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let from = 0;
    for (;;) {
      const to = buffer.subarray(0, bytesRead).indexOf(0x0a, from);
      const piece = Buffer.from(buffer.subarray(from, to < 0 ? bytesRead : to));
      length += piece.length;
      if (length > longestLine) throw refuse();
      begun.push(piece);
      if (to < 0) break;
      yield Buffer.concat(begun).toString("latin1");
      begun = [];
      length = 0;
      from = to + 1;
    }
  }
  if (length > 0) throw refuse();
}
