import type { Options } from "../options.ts";
import type { Measured } from "../report/report.ts";
export async function start(_options: Options): Promise<Measured> { throw new Error("todo"); }
