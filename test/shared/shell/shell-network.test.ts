import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell, type VirtualShellOptions } from "@robota/shell";
import { expect, it } from "vitest";

const ALLOWED = "http://127.0.0.1:4000";
const PROXY = "http://127.0.0.1:4001";

/** A shell whose servers answer with where they were asked; `/to/` redirects to what follows. */
function setUp(options: Partial<VirtualShellOptions> = {}) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { url } = new Request(input, init);
    asked.push(url);
    const target = /\/to\/(.*)$/.exec(url)?.[1];
    if (target === undefined) return new Response("secret\n", { status: 200 });
    return new Response(null, { status: 302, headers: { location: target } });
  };
  const fs = new MemoryFileSystem({ files: { "/code/": "" } });
  const policy = { allowPrivateOrigins: [ALLOWED] };
  const shell = new VirtualShell({
    fs,
    fetch,
    git: { fetch, corsProxy: PROXY },
    policy,
    ...options,
  });
  const nothing = (): undefined => undefined;
  const rules = {
    refusesFile: nothing,
    refusesCommand: nothing,
    refusesAddress: (url: string) =>
      new URL(url).hostname === "denied.example.com" ? "A rule forbids it." : undefined,
  };
  const run = (command: string) => shell.exec(command, { cwd: "/code", rules });
  return { asked, run, fetch, shell };
}

it.each([
  ["loopback", "http://127.0.0.1:8080/"],
  ["a name of this machine", "http://localhost/"],
  ["IPv6 loopback", "http://[::1]/"],
  ["a private network", "http://10.0.0.8/"],
  ["a cloud's metadata", "http://169.254.169.254/latest/meta-data/"],
  ["a domain that a rule denies", "https://denied.example.com/"],
])("keeps curl from %s", async (_what, url) => {
  const { asked, run } = setUp();
  const { stdout, stderr, exitCode } = await run(`curl -sS ${url}`);
  expect({ asked, stdout, exitCode }).toEqual({ asked: [], stdout: "", exitCode: 7 });
  expect(stderr).toContain("Network access denied");
});

it.each(["http://127.0.0.1:8080/", "http://169.254.169.254/", "https://denied.example.com/"])(
  "checks each redirect that curl follows, here to %s",
  async (target) => {
    const { asked, run } = setUp();
    const first = `${ALLOWED}/to/${target}`;
    const { stdout, exitCode } = await run(`curl -sSL ${first}`);
    expect({ asked, stdout, exitCode }).toEqual({ asked: [first], stdout: "", exitCode: 7 });
  },
);

it("reaches public hosts, and listed private origins", async () => {
  const { run } = setUp();
  expect((await run(`curl -sL https://example.com/to/https://example.org/`)).stdout).toBe(
    "secret\n",
  );
  expect((await run(`curl -s ${ALLOWED}/a`)).stdout).toBe("secret\n");
});

/** A shell whose server answers with the request. */
function setUpEcho() {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    if (pathname === "/missing") return new Response("nothing\n", { status: 404 });
    const names = ["accept", "authorization", "content-type", "x-a"];
    const lines = names.flatMap((name) => {
      const value = request.headers.get(name);
      return value === null ? [] : [`${name}: ${value.replace(/boundary=.*/, "boundary")}`];
    });
    const text = [`${request.method} ${pathname}${search}`, ...lines, await request.text(), ""];
    return new Response(text.join("\n"), { headers: { "content-type": "text/plain" } });
  };
  const fs = new MemoryFileSystem({ files: { "/code/data": "1\n2\n" } });
  const shell = new VirtualShell({ fs, fetch });
  return (command: string) => shell.exec(command, { cwd: "/code" });
}

const ECHO = "https://example.com";
const FORM = "content-type: application/x-www-form-urlencoded";

it.each([
  ["-s", "GET /\n\n"],
  ["-sd a=1 --data-urlencode 'b=x y&'", `POST /\n${FORM}\na=1&b=x%20y%26\n`],
  ["-s -X PUT --data-binary @data -H 'Content-Type: x/y'", "PUT /\ncontent-type: x/y\n1\n2\n\n"],
  ["-sG -d a=1 -d b=2", "GET /?a=1&b=2\n\n"],
  ["-sd @data", `POST /\n${FORM}\n12\n`],
  ["-s --json '{}'", "POST /\naccept: application/json\ncontent-type: application/json\n{}\n"],
  ["-su a:b -H 'X-A: 1'", "GET /\nauthorization: Basic YTpi\nx-a: 1\n\n"],
  ["-sT data", "PUT /\n1\n2\n\n"],
  ["-so out -w '%{http_code} %{size_download}\\n'", "200 7\n"],
  ["-so - -D head", "GET /\n\n"],
])("sends the request of curl %s", async (options, answer) => {
  const run = setUpEcho();
  const { stdout, exitCode } = await run(`curl ${options} ${ECHO}/`);
  expect({ stdout, exitCode }).toEqual({ stdout: answer, exitCode: 0 });
});

it("reports how a transfer by curl ended", async () => {
  const run = setUpEcho();
  const { stdout } = await run(`curl -si ${ECHO}/ | head -2; curl -sO ${ECHO}/a/b; cat b`);
  expect(stdout).toBe("HTTP/1.1 200\r\ncontent-type: text/plain\r\nGET /a/b\n\n");
  expect(await run(`curl -fsS ${ECHO}/missing`)).toMatchObject({
    exitCode: 22,
    stdout: "",
    stderr: "curl: (22) The requested URL returned error: 404\n",
  });
  expect((await run(`curl -s ${ECHO}/missing`)).stdout).toBe("nothing\n");
  expect((await run(`curl -sF a=1 -F f=@data ${ECHO}/`)).stdout).toContain('filename="data"');
  expect((await run("curl")).exitCode).toBe(2);
  expect((await run(`curl --nonsense ${ECHO}`)).exitCode).toBe(2);
  expect((await run("curl -s ftp://example.com/")).exitCode).toBe(1);
});

it("follows redirects only with -L", async () => {
  const { asked, run } = setUp();
  const { stdout } = await run(`curl -s -w '%{http_code}' ${ALLOWED}/to/${ALLOWED}/b`);
  expect({ stdout, asked: asked.length }).toEqual({ stdout: "302", asked: 1 });
});

it.each([
  "http://127.0.0.1:8080/a.git",
  "http://169.254.169.254/a",
  "https://denied.example.com/a",
])("keeps git from %s, with and without a proxy", async (url) => {
  for (const git of [{}, { corsProxy: PROXY }, { corsProxy: `${PROXY}/?` }]) {
    const { fetch, asked } = setUp();
    const { run } = setUp({ git: { fetch, ...git } });
    const { stderr, exitCode } = await run(`git clone ${url} x`);
    expect([asked, exitCode]).toEqual([[], 128]);
    expect(stderr).toContain("unable to access");
  }
});

it("keeps git from redirect targets of a server or a proxy", async () => {
  const { asked, run } = setUp();
  const { stderr, exitCode } = await run("git clone https://example.com/to/http://10.0.0.8/ x");
  expect(exitCode).toBe(128);
  expect(stderr).toContain("Network access denied");
  expect(asked).toHaveLength(1);
});

it("lets git reach public hosts through the proxy", async () => {
  const { asked, run } = setUp();
  await run("git clone https://example.com/a.git x");
  expect(asked[0]).toBe(`${PROXY}/example.com/a.git/info/refs?service=git-upload-pack`);
});

it("gets no network access by a command's options", async () => {
  const { asked, run, shell } = setUp();
  const network = { curl: () => Promise.reject(new Error("not judged")) };
  // @ts-expect-error What is judged elsewhere belongs to threads, not to callers.
  await shell.exec("curl -s https://example.com/", { cwd: "/code", network });
  expect(asked).toEqual(["https://example.com/"]);
  expect((await run("curl -s https://example.com/")).stdout).toBe("secret\n");
});
