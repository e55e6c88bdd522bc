import { execFileSync } from "node:child_process";
import { accessSync, constants, globSync } from "node:fs";
import { delimiter, join } from "node:path";

/** What has to be installed, by the names of Debian's packages. */
export const packages = [
  ...["postgresql", "patroni", "etcd-server", "python3-etcd", "haproxy", "faketime"],
] as const;

/** Daemons may be where only root's PATH leads. */
const find = (name: string) =>
  [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/bin"]
    .map((folder) => join(folder, name))
    .find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The programs of a cluster, as the system has them: the folder of PostgreSQL's, and the library of faketime. */
const findAll = () => ({
  patroni: find("patroni"),
  etcd: find("etcd"),
  haproxy: find("haproxy"),
  PostgreSQL: globSync("/usr/lib/postgresql/*/bin")
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .findLast((folder) => isExecutable(join(folder, "initdb"))),
  libfaketime: globSync("/usr/lib/*/faketime/libfaketime.so.1")[0],
});

export type Programs = Readonly<Record<keyof ReturnType<typeof findAll>, string>>;

/** What of it is not installed. */
export const listMissing = (): string[] =>
  Object.entries(findAll()).flatMap(([name, path]) => (path === undefined ? [name] : []));

/** @throws Error that names what is missing, and how it is installed. */
export function findPrograms(): Programs {
  const missing = listMissing();
  if (missing.length === 0) return findAll() as Programs;
  const install = `apt-get install --no-install-recommends ${packages.join(" ")}`;
  throw new Error(`There is no ${missing.join(", no ")}; on Debian: ${install}`);
}

/** Who PostgreSQL runs as: it refuses to do so as root. */
export function findOwner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
