/** The path of the verify page, if it is the service's own. */
export const verifyRoute = "/verify";
