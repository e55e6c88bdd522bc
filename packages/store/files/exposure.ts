import { accessSync, constants, lstatSync, readlinkSync, type Stats, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";

/**
 * Returns the problem with a folder in which others can create files: it belongs to a user other than this process's and
 * root, or users other than its owner and this process's own group can write to it. Windows has no such owners and modes.
 *
 * @param remedy The way to end that, in an imperative.
 */
export function describeOpenFolder(
  { mode, uid, gid }: Pick<Stats, "mode" | "uid" | "gid">,
  remedy = "set its mode to 0700",
): string | undefined {
  if (process.platform === "win32") return undefined;
  if (isForeign(uid)) return `belongs to another user (uid ${uid}), who can create files in it`;
  if (!isOpen({ mode, gid })) return undefined;
  return `other users can create files in (mode ${octalOf(mode & 0o7777)}); ${remedy}`;
}

/**
 * Returns the problem with a file that belongs to a user other than this process's and root, or that users other than
 * its owner can read or write. The group may read a file of root's: that is how a process that is not root gets a
 * secret. Windows has no such owners and modes.
 */
export function describeExposure({ mode, uid }: Pick<Stats, "mode" | "uid">): string | undefined {
  if (process.platform === "win32") return undefined;
  const own = process.getuid?.();
  if (isForeign(uid)) {
    return `belongs to another user (uid ${uid}), who can change it; run this as that user, or give the file to yours (uid ${own})`;
  }
  const ofAnotherRoot = uid === 0 && own !== 0;
  if ((mode & (ofAnotherRoot ? 0o037 : 0o077)) === 0) return undefined;
  return `other users can read or change (mode ${octalOf(mode & 0o777)}); set its mode to 0600 or 0400`;
}

/**
 * Returns the problem with a file that users other than this process's and root can change or replace: by its own mode,
 * in its folder, in a folder above, or at a link on the way. Others may read it. A missing file is judged by its folders.
 * Access control lists and mounts are not judged.
 */
export function describeChangeable(file: string): string | undefined {
  if (process.platform === "win32") return undefined;
  try {
    // Throws where links go round in a circle.
    const found = statSync(file, { throwIfNoEntry: false });
    const { end, folders, links } = follow(file);
    return (
      (found && describeOpenFile(found)) ??
      describeForeignLink(links) ??
      describeOpenWay(folders, dirname(end))
    );
  } catch (error) {
    return `cannot be examined (${systemErrorCode(error)})`;
  }
}

function describeOpenFile({ mode, uid, gid }: Stats): string | undefined {
  if (isForeign(uid)) return `belongs to another user (uid ${uid}), who can change it`;
  if (!isOpen({ mode, gid })) return undefined;
  return `other users can change (mode ${octalOf(mode & 0o777)}); set its mode to 0644`;
}

function describeForeignLink(links: readonly string[]): string | undefined {
  for (const link of links) {
    const { uid } = lstatSync(link);
    if (isForeign(uid)) return `is reached by ${link}, a link of another user (uid ${uid})`;
  }
  return undefined;
}

/** Others may need what else is in such a folder. */
const forbidWriting = "let only its owner write to it (chmod go-w)";

/** @param last The folder of the file itself. There, others must not even put something beside it. */
function describeOpenWay(folders: Iterable<string>, last: string): string | undefined {
  for (const folder of folders) {
    const { mode, uid, gid } = statSync(folder);
    // In a sticky folder, only the owner of a file, or of the folder, can replace the file.
    const isShielded = folder !== last && (mode & 0o1000) !== 0;
    const exposure = describeOpenFolder({ mode: isShielded ? 0 : mode, uid, gid }, forbidWriting);
    if (exposure === undefined || isReadOnly(folder)) continue;
    return `is ${folder === last ? "in" : "reached through"} ${folder}, a folder that ${exposure}`;
  }
  return undefined;
}

/** Returns where a path ends, and the folders and the links that it passes on the way. */
function follow(path: string) {
  const [folders, links] = [new Set<string>(), new Set<string>()];
  const names = (isAbsolute(path) ? path : `${process.cwd()}/${path}`).split("/");
  let end = "/";
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      end = dirname(end);
      continue;
    }
    const next = join(end, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    folders.add(end);
    if (!found?.isSymbolicLink()) {
      end = next;
      if (found === undefined) break;
      continue;
    }
    links.add(next);
    const target = readlinkSync(next);
    if (isAbsolute(target)) end = "/";
    names.unshift(...target.split("/"));
  }
  return { end, folders, links: [...links] };
}

/** Whether a folder's file system is mounted to be read: Kubernetes mounts a ConfigMap's folder so, with mode 0777. */
function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return systemErrorCode(error) === "EROFS";
  }
}

const isForeign = (uid: number) => uid !== 0 && uid !== process.getuid?.();

/** Whether users other than the owner and this process's own group can write. */
const isOpen = ({ mode, gid }: Pick<Stats, "mode" | "gid">) =>
  (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid?.());

const octalOf = (mode: number) => mode.toString(8).padStart(4, "0");
