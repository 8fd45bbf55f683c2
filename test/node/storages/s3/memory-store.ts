import type { S3FileSystemOptions } from "@robota/files-s3";

export interface MemoryStore {
  options: S3FileSystemOptions;
  /** Objects by their addresses. */
  objects: Map<string, Uint8Array>;
  /** Asked before each answer; what it returns is sent instead. */
  intercept?: (request: Request) => Promise<Response> | undefined;
}

/** A store with conditional writes in this process, for faults that no server makes on demand. */
export function memoryStore(): MemoryStore {
  const bucketUrl = "https://bucket.example";
  const objects = new Map<string, Uint8Array>();
  const store: MemoryStore = {
    objects,
    options: {
      bucketUrl,
      prefix: "files",
      credentials: { accessKeyId: "id", secretAccessKey: "secret" },
      fetch: (request) => store.intercept?.(request) ?? answer(request),
    },
  };

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/") return listing(searchParams);
    const known = objects.get(pathname);
    if (request.method === "PUT") {
      if (known && request.headers.get("if-none-match") === "*") return status(412);
      objects.set(pathname, new Uint8Array(await request.arrayBuffer()));
      return status(200);
    }
    if (request.method === "DELETE") return status(objects.delete(pathname) ? 204 : 404);
    if (!known) return status(404);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "") ?? [];
    return new Response(known.slice(Number(from ?? 0), to ? Number(to) + 1 : known.length));
  }

  function listing(query: URLSearchParams): Response {
    const after = query.get("start-after") ?? "";
    const keys = [...objects.keys()]
      .map((path) => path.slice(1))
      .filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after)
      .toSorted();
    const items = keys.map(
      (key) =>
        `<Contents><Key>${key}</Key><LastModified>${new Date().toISOString()}</LastModified></Contents>`,
    );
    return new Response(`<ListBucketResult>${items.join("")}</ListBucketResult>`);
  }
  return store;
}

function status(code: number): Response {
  return new Response(null, { status: code });
}
