import { execFileSync, spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { delimiter, dirname } from "node:path";

/** The required packages, by their names in Debian. */
export const packages = ["postgresql", "patroni", "etcd-server", "python3-etcd", "haproxy"] as const;

/** Finds a program. Daemons may be in a folder that is only in root's PATH. */
export const find = (name: string) =>
  spawnSync("which", [name], {
    env: { PATH: `${process.env.PATH}${delimiter}/usr/sbin` },
    encoding: "utf8",
  }).stdout.trim() || undefined;

/** Finds the programs of a cluster, and the folder of PostgreSQL's programs. */
const findAll = () => ({
  patroni: find("patroni"),
  etcd: find("etcd"),
  haproxy: find("haproxy"),
  PostgreSQL: globSync("/usr/lib/postgresql/*/bin/initdb")
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map(dirname)
    .at(-1),
});

export type Programs = Readonly<Record<keyof ReturnType<typeof findAll>, string>>;

/** Returns the names of the missing programs. */
export const listMissing = (): string[] =>
  Object.entries(findAll()).flatMap(([name, path]) => (path === undefined ? [name] : []));

/** @throws Error with the missing programs and the command that installs them. */
export function findPrograms(): Programs {
  const missing = listMissing();
  if (missing.length === 0) return findAll() as Programs;
  const install = `apt-get install --no-install-recommends ${packages.join(" ")}`;
  throw new Error(`There is no ${missing.join(", no ")}; on Debian: ${install}`);
}

/** Returns the user to run PostgreSQL as, which refuses to run as root; undefined for the current user. */
export function findOwner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
