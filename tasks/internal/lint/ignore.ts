/** Returns whether a comment of a contract or a function has `@custom:identity-ignore` with a rule's or an attack's name. */
export function isIgnored(name: string, comments: readonly string[]): boolean {
  return comments.some((comment) =>
    [...comment.matchAll(/@custom:identity-ignore ([\w-]+(?:, *[\w-]+)*)/g)].some(([, list = ""]) =>
      list.split(/, */).includes(name),
    ),
  );
}
