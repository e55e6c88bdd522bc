import { InvalidInputError } from "../errors.ts";

const titles = [
  "URI: ",
  "Version: ",
  "Chain ID: ",
  "Nonce: ",
  "Issued At: ",
  "Expiration Time: ",
  "Not Before: ",
  "Request ID: ",
  "Resources:",
  "- ",
] as const;

/** The prefixes of the lines after the statement of an EIP-4361 message. */
export type Title = (typeof titles)[number];

/** Goes through the lines of a message once. */
export class LineReader {
  readonly #message: string;
  /** Where the next line begins. */
  #next = 0;
  /** The number of lines read so far. */
  #count = 0;

  constructor(message: string) {
    this.#message = message;
  }

  /** Whether the rest of the message starts with this text. */
  has(text: string): boolean {
    return this.#message.startsWith(text, this.#next);
  }

  take(): string {
    if (this.#next > this.#message.length) throw this.#refuseNext("another line");
    const feed = this.#message.indexOf("\n", this.#next);
    const end = feed === -1 ? this.#message.length : feed;
    const line = this.#message.slice(this.#next, end);
    this.#next = end + 1;
    this.#count += 1;
    return line;
  }

  takeEmpty(): void {
    if (!this.#isEmpty()) throw this.#refuseNext("an empty line");
    this.take();
  }

  /** @returns The rest of the line after the title. */
  takeField(title: Title): string {
    if (!this.has(title)) throw this.#refuseNext(`"${title}"`);
    return this.take().slice(title.length);
  }

  requireEnd(): void {
    if (this.#next <= this.#message.length) throw this.#refuseNext("the end");
  }

  /** The error about the last line read. */
  refuse(why: string): InvalidInputError {
    return new InvalidInputError(`The sign-in message is not valid EIP-4361 (line ${this.#count}: ${why}).`);
  }

  /** Describes the content without repeating it. */
  #refuseNext(wanted: string): InvalidInputError {
    const title = titles.find((known) => this.has(known));
    let found = title === undefined ? "something else" : `"${title}"`;
    if (this.#isEmpty()) found = "an empty line";
    if (this.#next > this.#message.length) found = "the end";
    this.#count += 1;
    return this.refuse(`${wanted} is wanted, not ${found}`);
  }

  #isEmpty(): boolean {
    return this.#next === this.#message.length || this.has("\n");
  }
}
