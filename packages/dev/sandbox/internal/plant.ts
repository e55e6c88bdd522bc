/** Sets a value at a path of an object, and makes the objects on the way. */
export function plant(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let branch = object;
  for (const key of path.slice(0, -1)) {
    branch[key] ??= {};
    branch = branch[key] as Record<string, unknown>;
  }
  branch[path.at(-1) ?? ""] = value;
}
