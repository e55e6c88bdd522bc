export const deployments = [];
