import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serveSessions } from "../../support/protocols/session-server.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
/** The generator needs a TypeScript that can be called by programs. */
const generator = join(root, "test/oldest/node_modules/openapi-typescript/bin/cli.js");
const compiler = join(root, "node_modules/typescript/bin/tsc");

/** A program as a user would write it. Every `@ts-expect-error` is an error of the compiler if the types allow the line. */
const PROGRAM = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

const [baseUrl = "", token = ""] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl, headers: { authorization: "Bearer " + token } });

const made = await api.POST("/v1/sessions", { body: { name: "Typed" } });
const id: string = made.data?.id ?? "";
const params = { path: { id } };
const sent = await api.POST("/v1/sessions/{id}/messages", { params, body: { text: "help" } });
// An event stream is the other answer.
const queued: unknown = sent.data && "queued" in sent.data ? sent.data.queued : undefined;
const session = await api.GET("/v1/sessions/{id}", { params });
const name: string | undefined = session.data?.name;
const missing = await api.GET("/v1/sessions/{id}", { params: { path: { id: "nobody" } } });
const problem: components["schemas"]["Problem"] | undefined = missing.error;
const files = await api.GET("/v1/sessions/{id}/files", { params });
const entries: string[] = files.data?.entries.map((entry) => entry.name) ?? [];
const event = (one: components["schemas"]["SessionEvent"]): string =>
  one.type === "turn_end" ? one.response : one.type;

// @ts-expect-error no such route
api.GET("/v1/nothing");
// @ts-expect-error a message has a text
export const wrong = () => api.POST("/v1/sessions/{id}/messages", { params, body: { tekst: "x" } });
// @ts-expect-error no such field
export const field = () => session.data?.colour;

console.log(JSON.stringify({ id, queued, name, code: problem?.code, entries, kinds: typeof event }));
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "robota-client-"));
  await symlink(join(root, "test/node_modules"), join(folder, "node_modules"));
});
afterAll(() => rm(folder, { recursive: true }));

it("lets a client that is generated from the document compile, and use a real server", async () => {
  await using server = await serveSessions();
  const document = await (await fetch(`${server.url}/openapi.json`)).text();
  await writeFile(join(folder, "openapi.json"), document);
  await run(process.execPath, [generator, "openapi.json", "-o", "api.d.ts"], { cwd: folder });
  expect(await readFile(join(folder, "api.d.ts"), "utf8")).toContain("SessionEvent");

  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(join(folder, "program.ts"), PROGRAM);
  const options = ["--noEmit", "--strict", "--target", "es2024", "--module", "nodenext"];
  const more = ["--allowImportingTsExtensions", "--skipLibCheck", "--types", "node"];
  const given = [compiler, ...options, ...more, "program.ts"];
  const compiled = await run(process.execPath, given, { cwd: folder }).catch(
    ({ stdout }: { stdout: string }) => ({ stdout }),
  );
  expect(compiled.stdout).toBe("");

  const { stdout } = await run(process.execPath, ["program.ts", server.url, server.token], {
    cwd: folder,
  });
  expect(JSON.parse(stdout)).toEqual({
    id: expect.stringMatching(/^[\w-]{36}$/),
    queued: false,
    name: "Typed",
    code: "NOT_FOUND",
    entries: ["README.md"],
    kinds: "function",
  });
});
