/** The used part of the upgrader. The package comes with this file bundled, so that nobody installs its lists of types. */
export { upgrade } from "@scalar/openapi-upgrader";
