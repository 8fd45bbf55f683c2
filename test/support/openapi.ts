import type { JsonObject, ToolArgs } from "../../packages/runtime/src/messages/message.ts";
import { memoryPlatform } from "../../packages/runtime/src/testing/memory-platform.ts";
import { toolContext } from "./tool-context.ts";
import type { ToolResult } from "../../packages/runtime/src/tools/tool.ts";
import {
  createOpenAPITools,
  type OperationTool,
  type OpenAPIToolsOptions,
} from "../../packages/runtime/src/tools/openapi/openapi-tools.ts";

/** A 3.0 API that covers many features, as YAML. */
export const pets = `
openapi: 3.0.3
info: { title: Pets, version: "1" }
servers:
  - url: https://{region}.pets.example/v1/
    variables:
      region: { default: eu, enum: [eu, us] }
paths:
  /pets/{petId}:
    parameters:
      - { name: petId, in: path, required: true, schema: { type: integer } }
    get:
      operationId: pets.get
      summary: One pet
      tags: [pets]
      parameters:
        - { name: fields, in: query, explode: false, schema: { type: array, items: { type: string } } }
        - { name: X-Trace, in: header, schema: { type: string } }
        - { name: Authorization, in: header, schema: { type: string } }
    put:
      parameters:
        - { name: petId, in: query, schema: { type: string } }
        - { name: "filter[kind]", in: query, schema: { type: string } }
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Pet" }
  /login:
    post:
      operationId: login
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              properties: { user: { type: string }, roles: { type: array, items: { type: string } } }
  /photo:
    post:
      operationId: photo
      requestBody:
        required: true
        content: { image/png: { schema: { type: string, format: binary } } }
components:
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string }
        weight: { type: number, nullable: true }
        parent: { $ref: "#/components/schemas/Pet" }
`;

/** Tools of a document, with requests sent to a function. */
export async function toolsOf(
  source: object | string,
  options: OpenAPIToolsOptions = {},
  answer: (request: Request) => Response | Promise<Response> = () => new Response("ok"),
): Promise<{
  call: (name: string, args?: ToolArgs) => Promise<ToolResult>;
  tools: OperationTool[];
  requests: Request[];
}> {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    requests.push(request.clone());
    return answer(request);
  };
  const tools = await createOpenAPITools(source, { fetch, ...options });
  const call = async (name: string, args: ToolArgs = {}): Promise<ToolResult> => {
    const tool = tools.find((one) => one.name === name);
    if (!tool) throw new Error(`no tool ${name} among ${tools.map((one) => one.name).join()}`);
    return tool.execute(args, toolContext(memoryPlatform()));
  };
  return { call, tools, requests };
}

/** A 3.1 document with these paths. */
export const document = (paths: JsonObject, more: JsonObject = {}): JsonObject => ({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  servers: [{ url: "https://api.example" }],
  paths,
  ...more,
});
