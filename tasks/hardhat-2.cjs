// Hardhat 3 loads the plugin with `import`. Only the configuration of Hardhat 2 is CommonJS, and comes here.
throw new Error(
  "hardhat-identity is a plugin for Hardhat 3.17.0 or newer, whose configuration is an ES module, and this is CommonJS. " +
    "Migrate from Hardhat 2: https://hardhat.org/migrate-from-hardhat2",
);
