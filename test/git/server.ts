import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface GitServer extends AsyncDisposable {
  /** The URL of the repository `name`. */
  url(name: string): string;
  /** Makes a repository with one commit of these files, which takes pushes. */
  create(name: string, files: Readonly<Record<string, string>>): void;
  /** Real git in the repository `name`. */
  git(name: string, ...args: string[]): string;
}

const person = {
  GIT_AUTHOR_NAME: "Server",
  GIT_AUTHOR_EMAIL: "server@example.com",
  GIT_COMMITTER_NAME: "Server",
  GIT_COMMITTER_EMAIL: "server@example.com",
  GIT_CONFIG_NOSYSTEM: "1",
};

/** The machine's own `git http-backend` on loopback. As most servers do, it lets no page read it. */
export async function startGitServer(): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), "git-server-"));
  const run = (cwd: string, ...args: string[]): string =>
    execFileSync("git", args, {
      cwd,
      encoding: "utf8",
      env: { ...process.env, ...person, HOME: root },
    });
  const server = createServer((request, response) => answer(root, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    create(name, files) {
      const work = join(root, `${name}-work`);
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(work, path)), { recursive: true });
        writeFileSync(join(work, path), text);
      }
      run(work, "init", "-q", "-b", "main");
      run(work, "add", ".");
      run(work, "commit", "-q", "-m", "Start");
      run(root, "clone", "-q", "--bare", work, name);
      run(join(root, name), "config", "http.receivepack", "true");
    },
    git: (name, ...args) => run(join(root, name), ...args),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await rm(root, { recursive: true, force: true });
    },
  };
}

function answer(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      REMOTE_USER: "tester",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  let isBody = false;
  child.stdout.on("data", (chunk: Buffer) => {
    if (isBody) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    isBody = true;
    for (const line of head.subarray(0, end).toString().split("\r\n")) {
      const [name = "", ...value] = line.split(": ");
      if (name === "Status") response.statusCode = Number.parseInt(value.join(""), 10);
      else response.setHeader(name, value.join(": "));
    }
    response.write(head.subarray(end + 4));
  });
  child.stdout.on("end", () => response.end());
}
