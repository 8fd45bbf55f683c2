import { answer } from "../answer-schema.ts";
import type { Operation } from "./operation.ts";

export const serverOperations = {
  health: {
    method: "GET",
    path: "/healthz",
    summary: "Check that the server is up",
    scope: "public",
    responses: { 200: { description: "It does.", schema: answer({ status: { const: "ok" } }) } },
  },
  openapi: {
    method: "GET",
    path: "/openapi.json",
    summary: "This description",
    scope: "public",
    responses: { 200: { description: "OpenAPI 3.1.", schema: { type: "object" } } },
  },
  docs: {
    method: "GET",
    path: "/docs",
    summary: "This description for people",
    scope: "public",
    responses: { 200: { description: "A page without scripts.", type: "text/html" } },
  },
  llms: {
    method: "GET",
    path: "/llms.txt",
    summary: "This description for language models",
    scope: "public",
    responses: { 200: { description: "Markdown.", type: "text/plain" } },
  },
} satisfies Record<string, Operation>;
