// `npm start`: starts `hardhat identity dev` faster. Node strips types itself and caches compiled code. The TypeScript
// loader of Hardhat's own command takes half a second of every start.
import { enableCompileCache } from "node:module";

// Compiling the contracts of tests would take a third of the first start.
process.env.BUILD_ONLY_SHIPPED = "true";
enableCompileCache("node_modules/.cache/compiled");
// Imported by path, because Hardhat does not export it.
const { main } = await import("../node_modules/hardhat/dist/src/internal/cli/main.js");
await main(["identity", "dev", ...process.argv.slice(2)], { registerTsx: false });
