/**
 * The used parts of the upgrader, without its way to OpenAPI 3.2. The package comes with this file bundled, so that nobody installs
 * its lists of types.
 */
export { upgradeFromTwoToThree } from "@scalar/openapi-upgrader/2.0-to-3.0";
export { upgradeFromThreeToThreeOne } from "@scalar/openapi-upgrader/3.0-to-3.1";
