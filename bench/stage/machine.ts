import { cpus } from "node:os";
import { loadCurve } from "../curve.ts";
import { countCores } from "./cores.ts";

/** What something was measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  readonly system: string;
  /** The curve of the floor: libsecp256k1, native or as WebAssembly. */
  readonly curve: string;
}

export async function describeMachine(curve: string | undefined): Promise<Machine> {
  const { name } = await loadCurve(curve);
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: countCores(),
    node: process.versions.node,
    system: `${process.platform} ${process.arch}`,
    curve: name,
  };
}
