// The plugin has no CommonJS module: hardhat-2.cjs only says so.
export {};
