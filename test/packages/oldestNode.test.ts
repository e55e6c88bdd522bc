import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../fixtures/tasks/hardhat.ts";

// cspell:ignore Tlsa execve
/** Names that Node 24 exports, and Node 22.13.0, the oldest that `engines` allows, does not. */
const newer: Record<string, string> = {
  assert: "Assert",
  "assert/strict": "Assert",
  crypto: "argon2 argon2Sync decapsulate encapsulate randomUUIDv7",
  dns: "resolveTlsa",
  "dns/promises": "resolveTlsa",
  fs: "Utf8Stream mkdtempDisposableSync",
  "fs/promises": "mkdtempDisposable",
  http: "setGlobalProxyFromEnv",
  module: "findPackageJSON getSourceMapsSupport registerHooks setSourceMapsSupport",
  net: "BoundSocket",
  perf_hooks: "eventLoopUtilization timerify",
  process: "execve ref threadCpuUsage unref",
  sqlite: "Session backup",
  "stream/consumers": "bytes",
  test: "assert expectFailure getTestContext",
  tls: "getCACertificates getCertificateCompressionAlgorithms setDefaultCACertificates",
  url: "URLPattern fileURLToPathBuffer",
  util: "convertProcessSignalToExitCode diff setTraceSigInt",
  v8: "getCppHeapStatistics isStringOneByteRepresentation startCpuProfile",
  worker_threads: "isInternalThread locks threadName",
  zlib:
    "ZstdCompress ZstdDecompress createZstdCompress createZstdDecompress zstdCompress zstdCompressSync zstdDecompress " +
    "zstdDecompressSync",
};

describe("The packages on the oldest Node that they promise", () => {
  it("import no name that it lacks, with which not even a part that does without it would load", () => {
    const files = globSync("{ignition,packages,signer,tasks}/**/*.{ts,tsx,mjs}", {
      cwd: root,
      exclude: ["**/node_modules/**"],
    });
    const imported = files.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/import \{([^}]+)\} from "node:([^"]+)"/g)].flatMap(
        ([, names = "", module = ""]) =>
          names
            .split(",")
            .map((name) => name.trim().split(" as ")[0] ?? "")
            .filter((name) => name !== "" && !name.startsWith("type "))
            .map((name) => ({ file, module, name })),
      ),
    );
    expect(imported.length).to.be.above(100);
    const missing = imported.filter(({ module, name }) => newer[module]?.split(" ").includes(name));
    expect(missing).to.deep.equal([]);
  });
});
