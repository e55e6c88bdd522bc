import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Application, type TypeDocOptions } from "typedoc";

/** Describes every function, type and error of the client, from its types and their comments. */
export async function describeClient(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "hardhat-identity-reference-"));
  try {
    const app = await Application.bootstrapWithPlugins({
      plugin: ["typedoc-plugin-markdown"],
      outputs: [{ name: "markdown", path: folder }],
      entryPoints: ["client/index.ts"],
      tsconfig: "tsconfig.json",
      disableSources: true,
      excludeExternals: true,
      readme: "none",
      logLevel: "Error",
      hidePageHeader: true,
      hideBreadcrumbs: true,
      useCodeBlocks: true,
      expandObjects: true,
      parametersFormat: "table",
      interfacePropertiesFormat: "table",
      classPropertiesFormat: "table",
      // Everything is read-only.
      tableColumnSettings: { hideInherited: true, hideModifiers: true, hideOverrides: true },
      groupOrder: ["Functions", "Classes", "Interfaces", "*"],
      outputFileStrategy: "modules",
      name: "Client API",
      // `npm test` checks the types; here they are only read.
      skipErrorChecking: true,
    } as Partial<TypeDocOptions>);
    const project = await app.convert();
    if (project === undefined) throw new Error("The client's types cannot be read.");
    await app.generateOutputs(project);
    return readFileSync(join(folder, "README.md"), "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
