import { html, raw } from "hono/html";
import type { JsonObject, JsonValue } from "../../messages/message.ts";
import { openApiDocument } from "./describe.ts";

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h2{font-size:1rem;margin:2rem 0 .5rem}code,pre{font:13px/1.5 ui-monospace,monospace}pre{background:#f4f4f4;padding:1rem;overflow:auto}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #ddd}
@media(prefers-color-scheme:dark){body{color:#eee;background:#111}pre{background:#222}td,th{border-color:#333}a{color:#8bf}}`;

/** The description of the routes as a page for people: one file, without any script. */
export async function docsPage(): Promise<Response> {
  const document = await openApiDocument();
  const operations = Object.entries(objectOf(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(objectOf(methods)).map(([method, operation]) =>
      section(`${method.toUpperCase()} ${path}`, objectOf(operation)),
    ),
  );
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Robota sessions</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <h1>Robota sessions</h1>
        <p>
          Agent sessions over HTTP. Send <code>Authorization: Bearer &lt;token&gt;</code>. Errors
          are <code>application/problem+json</code> with <code>code</code> and <code>hint</code>.
          <a href="/openapi.json">openapi.json</a> describes the same for programs, with the schemas
          of all answers and events; <a href="/llms.txt">llms.txt</a> for language models.
        </p>
        ${operations}
      </body>
    </html>`;
  const text = String(await page);
  return new Response(text, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; style-src 'sha256-${await styleHash(text)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "public, max-age=300",
    },
  });
}

function section(title: string, operation: JsonObject): ReturnType<typeof html> {
  const { summary, parameters, responses, requestBody } = operation;
  const rows = [
    ...listOf(parameters).map((parameter) => {
      const { name, in: place, description = "", required } = objectOf(parameter);
      return [
        `${textOf(name)} (${textOf(place)}${required === true ? ", required" : ""})`,
        description,
      ];
    }),
    ...Object.entries(objectOf(responses)).map(([status, response]) => [
      status,
      objectOf(response)["description"] ?? "",
    ]),
  ];
  const body = Object.values(objectOf(objectOf(requestBody)["content"]))[0];
  const schema = objectOf(body)["schema"];
  return html`<h2 id="${textOf(operation["operationId"])}"><code>${title}</code></h2>
    <p>${textOf(summary)}. ${scopeText(operation)}</p>
    <table>
      ${rows.map(
        ([name = "", text = ""]) =>
          html`<tr>
            <td><code>${textOf(name)}</code></td>
            <td>${textOf(text)}</td>
          </tr>`,
      )}
    </table>
    ${schema === undefined ? "" : html`<pre>${JSON.stringify(schema, null, 2)}</pre>`}`;
}

function scopeText({ security }: JsonObject): string {
  const [first] = listOf(security).map(objectOf);
  const scope = first && listOf(first["bearer"])[0];
  return scope === undefined ? "Needs no token." : `Needs the scope ${textOf(scope)}.`;
}

/** The hash of the style as it stands in the page, by which alone it is let in. */
async function styleHash(page: string): Promise<string> {
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? "";
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
  return btoa(String.fromCharCode(...new Uint8Array(hash)));
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
