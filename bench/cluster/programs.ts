import { execFileSync } from "node:child_process";
import { accessSync, constants, globSync } from "node:fs";
import { delimiter, join } from "node:path";

/** What has to be installed, by the names of Debian's packages. */
export const packages = [
  "postgresql",
  "patroni",
  "etcd-server",
  "python3-etcd",
  "haproxy",
  "faketime",
] as const;

/** The programs of a cluster, as the system has them. */
export interface Programs {
  /** Patroni is a Python script; another Python than the system's lacks its modules. */
  readonly patroni: readonly [command: string, ...args: string[]];
  readonly etcd: string;
  readonly haproxy: string;
  /** The folder of PostgreSQL's own programs. */
  readonly postgres: string;
  /** libfaketime, to be preloaded. */
  readonly faketime: string;
  /** Who PostgreSQL runs as: it refuses to do so as root. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

/** @throws Error that names what is missing, and how it is installed. */
export function findPrograms(): Programs {
  const missing = listMissing();
  if (missing.length > 0) {
    throw new Error(
      `There is no ${missing.join(", no ")}; on Debian: apt-get install --no-install-recommends ${packages.join(" ")}`,
    );
  }
  return {
    patroni: ["/usr/bin/python3", find("patroni") ?? ""],
    etcd: find("etcd") ?? "",
    haproxy: find("haproxy") ?? "",
    postgres: findPostgres() ?? "",
    faketime: findFaketime() ?? "",
    owner: findOwner(),
  };
}

/** What of it is not installed. */
export function listMissing(): string[] {
  const found = {
    patroni: find("patroni"),
    etcd: find("etcd"),
    haproxy: find("haproxy"),
    PostgreSQL: findPostgres(),
    libfaketime: findFaketime(),
  };
  return Object.entries(found).flatMap(([name, path]) => (path === undefined ? [name] : []));
}

/** Daemons may be where only root's PATH leads. */
const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/bin"];

const find = (name: string) => folders.map((folder) => join(folder, name)).find(isExecutable);

const findPostgres = () =>
  globSync("/usr/lib/postgresql/*/bin")
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .findLast((folder) => isExecutable(join(folder, "initdb")));

const findFaketime = () => globSync("/usr/lib/*/faketime/libfaketime.so.1")[0];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findOwner(): Programs["owner"] {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
