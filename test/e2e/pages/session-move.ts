import { browserPlatform } from "@robota/adapters-web";
import { contentText, InteractiveSession, type PermissionRequest } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";

/** A session in this tab, as a test works with it by `page.evaluate`. */
interface MovingSession {
  begin(): Promise<void>;
  /** Goes on from an exported session, in a workspace of its own. */
  take(exported: string): Promise<void>;
  /** Runs one turn in which everything is allowed, and resolves to the answer. */
  turn(prompt: string): Promise<string>;
  /** Begins a turn and resolves to the request for permission at which it waits. */
  turnUntilAsked(prompt: string): Promise<PermissionRequest>;
  rewind(checkpointId: string): Promise<void>;
  view(): Promise<{
    prompts: string[];
    checkpoints: { id: string; input: string }[];
    notes: string;
    grants: string[];
  }>;
  export(): Promise<string>;
}

declare global {
  var moving: MovingSession;
}

const cwd = "/workspace";
let workspace = 0;
let session: InteractiveSession;
const platformOf = (): ReturnType<typeof browserPlatform> =>
  browserPlatform({ workspace: `move-${(workspace += 1)}` });
let platform = platformOf();

globalThis.moving = {
  async begin() {
    await platform.fs.mkdir(cwd, { recursive: true });
    session = new InteractiveSession({ platform, cwd, provider: new OfflineProvider() });
    await session.ready;
  },
  async take(exported) {
    await session.shutdown();
    platform = platformOf();
    await platform.fs.mkdir(cwd, { recursive: true });
    const { body } = new Response(exported);
    if (!body) throw new Error("nothing was exported");
    const provider = new OfflineProvider();
    session = await InteractiveSession.import(platform, body, {
      cwd,
      provider,
      files: "workspace",
    });
  },
  async turn(prompt) {
    const stop = session.on("permission_request", ({ id }) => {
      void session.resolvePermission(id, { allow: true });
    });
    const { response } = await session.submit(prompt);
    stop();
    return response;
  },
  turnUntilAsked: (prompt) =>
    new Promise((resolve) => {
      session.on("permission_request", resolve);
      void session.submit(prompt).catch(() => undefined);
    }),
  async rewind(checkpointId) {
    await session.rewind(checkpointId);
  },
  async view() {
    const messages = session.getMessages().filter(({ role }) => role === "user");
    const notes = await platform.fs.readFile(`${cwd}/notes.md`);
    return {
      prompts: messages.map(({ content }) => contentText(content)),
      checkpoints: session.checkpoints().map(({ id, input }) => ({ id, input })),
      notes: new TextDecoder().decode(notes),
      grants: session.getSessionAllowedTools(),
    };
  },
  export: async () => new Response(await session.export()).text(),
};
