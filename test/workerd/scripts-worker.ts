import quickjs from "@robota/shell/quickjs.wasm";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";

interface Asked {
  files: Record<string, string>;
  command: string;
  cwd: string;
  abortMs?: number;
}

/** Runs the command that it is sent in a shell that has QuickJS as a worker is given it. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { files, command, cwd, abortMs }: Asked = await request.json();
    const shell = new VirtualShell({
      fs: new MemoryFileSystem({ files }),
      scripts: { wasm: quickjs, timeMs: 1_500 },
    });
    if (abortMs === undefined) return Response.json(await shell.exec(command, { cwd }));
    const controller = new AbortController();
    let aborted = 0;
    setTimeout(() => {
      aborted = Date.now();
      controller.abort();
    }, abortMs);
    const result = await shell.exec(command, { cwd, signal: controller.signal });
    return Response.json({ ...result, lateMs: Date.now() - aborted });
  },
};
