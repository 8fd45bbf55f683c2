import { readFileSync } from "node:fs";

/** The headers that `public/_headers` demands of a static host for a file, for the servers here that don't read it. */
export function publishedHeaders(pathname: string): Record<string, string> {
  const text = readFileSync(new URL("public/_headers", import.meta.url), "utf8");
  const headers: Record<string, string> = {};
  let applies = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("/")) applies = pathname.startsWith(line.trim().replace(/\*$/, ""));
    if (!applies || !line.startsWith("  ")) continue;
    const [name = "", ...value] = line.trim().split(": ");
    if (name.startsWith("! ")) delete headers[name.slice(2)];
    else headers[name] = value.join(": ");
  }
  return headers;
}
