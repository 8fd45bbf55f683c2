import { createServer, type Server } from "node:http";
import { nodeVirtualShell, type ResolveHost } from "@robota/adapters-node";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

let server: Server;
let origin = "";
let port = 0;
let asked: string[] = [];
let resolved: string[] = [];

beforeAll(async () => {
  server = createServer(({ url = "/" }, response) => {
    asked.push(url);
    const target = /^\/to\/(.*)$/.exec(url)?.[1];
    if (target === undefined) response.end("inside\n");
    else response.writeHead(302, { location: target }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no address");
  port = address.port;
  origin = `http://127.0.0.1:${port}`;
});

beforeEach(() => {
  asked = [];
  resolved = [];
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** Every name leads to this machine, also those that look public. */
const resolveHost: ResolveHost = async (host) => {
  resolved.push(host);
  return [{ address: "127.0.0.1", family: 4 }];
};

function setUp() {
  const { fetch } = globalThis;
  const policy = { allowPorts: [port], allowPrivateOrigins: [origin] };
  const fs = new MemoryFileSystem({ files: { "/code/": "" } });
  const shell = nodeVirtualShell({ fs, fetch, git: { fetch }, policy, resolveHost });
  return {
    run: (line: string) => shell.exec(line, { cwd: "/code" }),
    [Symbol.dispose]: () => shell.dispose(),
  };
}

it.each([
  ["curl", 7, () => `curl -sS http://public.example.com:${port}/a`, 0],
  [
    "curl behind a redirect",
    7,
    () => `curl -sSL ${origin}/to/http://public.example.com:${port}/a`,
    1,
  ],
  ["git", 128, () => `git clone http://public.example.com:${port}/a x`, 0],
  [
    "git behind a redirect",
    128,
    () => `git clone ${origin}/to/http://public.example.com:${port} x`,
    1,
  ],
])("keeps %s from a public name with a private address", async (_, status, line, reached) => {
  using shell = setUp();
  const { exitCode, stdout, stderr } = await shell.run(line());
  expect({ exitCode, stdout }).toEqual({ exitCode: status, stdout: "" });
  expect(stderr).toContain("leads to an address that is not public");
  expect(resolved).toContain("public.example.com");
  expect(asked).toHaveLength(reached);
});

it("reaches a private origin that is listed", async () => {
  using shell = setUp();
  expect((await shell.run(`curl -sS ${origin}/a`)).stdout).toBe("inside\n");
  expect(resolved).toEqual([]);
});
