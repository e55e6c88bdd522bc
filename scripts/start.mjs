// `npm start`: `hardhat identity dev`, sooner. Node strips types by itself, and keeps what it has compiled; the loader that
// Hardhat's own command brings for TypeScript takes half a second of a start.
import { enableCompileCache } from "node:module";

enableCompileCache("node_modules/.cache/compiled");
// Not exported: the command is its one caller.
const { main } = await import("../node_modules/hardhat/dist/src/internal/cli/main.js");
await main(["identity", "dev", ...process.argv.slice(2)], { registerTsx: false });
