import type { HardhatPlugin } from "hardhat/types/plugins";
import type { CompilerOutputError } from "hardhat/types/solidity";

type LocatedError = CompilerOutputError & { readonly sourceLocation?: { readonly file: string } };

/**
 * Codes of the warnings about the size of code and init code. They do not matter for tests, which are never deployed.
 */
const sizeWarnings = ["5574", "3860"];

/** Turns every compiler warning about our own sources into an error, and drops those about dependencies. */
export const strictSolc: HardhatPlugin = {
  id: "strict-solc",
  hookHandlers: {
    solidity: async () => ({
      default: async () => ({
        async invokeSolc(context, compiler, input, config, next) {
          const output = await next(context, compiler, input, config);
          // Coverage compiles instrumented sources, and `npm run faults` mutants.
          if (context.globalOptions.coverage || process.env.ALLOW_WARNINGS === "true") return output;
          const found: LocatedError[] = output.errors ?? [];
          output.errors = found
            .filter((e) => e.severity === "error" || isOurs(e))
            .map((e) => (e.severity === "warning" ? { ...e, type: "Error", severity: "error" } : e));
          return output;
        },
      }),
    }),
  },
};

function isOurs({ errorCode = "", sourceLocation }: LocatedError): boolean {
  const file = sourceLocation?.file ?? "";
  return (
    file.startsWith("project/") && !(file.startsWith("project/test/") && sizeWarnings.includes(errorCode))
  );
}
