import { createOpenAPITools as createTools, OperationTool } from "./openapi-tools.ts";

// The main entry's names are values of their own: a bundler keeps re-exported names as soon as a lazily loaded module
// uses them, and every page would load them first.

/** As `createOpenAPITools` of the tools' own module. @throws as there */
export const createOpenAPITools: typeof createTools = createTools;
/** A tool that calls one operation of an HTTP API. Created by `createOpenAPITools`. */
export const OpenAPITool: typeof OperationTool = OperationTool;
export type OpenAPITool = OperationTool;
