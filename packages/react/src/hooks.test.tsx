import { InteractiveSession, type SessionEvent } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { memoryPlatform } from "@robota/shell/testing";
import { Profiler, type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { expect, it, onTestFinished } from "vitest";
import {
  useCommands,
  useContextUsage,
  useEvents,
  useFiles,
  usePermissionRequests,
  useQueue,
  useReadable,
  useReplay,
  useSession,
  useTranscript,
} from "./index.ts";
import { createCell } from "./store/readable.ts";

type Script = ConstructorParameters<typeof ScriptedProvider>[0];

function open(script: Script): InteractiveSession {
  const session = new InteractiveSession({
    platform: memoryPlatform(),
    provider: new ScriptedProvider(script),
    queueLimit: 5,
  });
  onTestFinished(() => session.shutdown());
  return session;
}

/** Draws in the page, until the test has ended. */
function draw(node: ReactNode): HTMLElement {
  const element = document.createElement("div");
  document.body.append(element);
  const root = createRoot(element);
  root.render(<StrictMode>{node}</StrictMode>);
  onTestFinished(() => {
    root.unmount();
    element.remove();
  });
  return element;
}

function Chat({ session }: { session: InteractiveSession }) {
  const { isRunning, mode, name, submit, setMode, setName } = useSession(session);
  const { requests, answer } = usePermissionRequests(session);
  const { prompts, clear } = useQueue(session);
  const usage = useContextUsage(session);
  return (
    <>
      <p title="state">{`${isRunning ? "running" : "idle"}, ${mode}, ${name || "unnamed"}`}</p>
      <p title="queue">{prompts.map((one) => one.text).join()}</p>
      <p title="window">{usage?.maxTokens}</p>
      <button onClick={() => void submit("go")}>Send</button>
      <button onClick={() => void setMode("plan")}>Plan</button>
      <button onClick={() => void setName("Named")}>Name</button>
      <button onClick={clear}>Clear</button>
      {requests.map(({ id, tool }) => (
        <button key={id} onClick={() => void answer(id, true)}>{`Allow ${tool}`}</button>
      ))}
      <Transcript session={session} />
    </>
  );
}

function Transcript({ session }: { session: InteractiveSession }) {
  const entries = useTranscript(session).map((entry) =>
    entry.kind === "turn"
      ? [entry.prompt, ...entry.items.map((item) => ("text" in item ? item.text : item.phase))]
      : [entry.label],
  );
  return <pre>{entries.map((entry) => entry.join(" | ")).join("\n")}</pre>;
}

const text = (element: HTMLElement, selector: string): string =>
  element.querySelector(selector)?.textContent ?? "";
const click = (element: HTMLElement, label: string): void =>
  [...element.querySelectorAll("button")].find((each) => each.textContent === label)?.click();

it("shows a turn, requests approval, and acts on the session", async () => {
  const session = open([
    { toolCalls: [{ name: "Write", args: { filePath: "/workspace/a", content: "a" } }] },
    { text: "Written" },
    { text: "Queued" },
  ]);
  const page = draw(<Chat session={session} />);
  await expect.poll(() => text(page, "[title=state]")).toBe("idle, default, unnamed");
  click(page, "Name");
  click(page, "Send");
  await expect.poll(() => page.textContent).toContain("Allow Write");
  expect(text(page, "[title=state]")).toBe("running, default, Named");
  expect(text(page, "pre")).toBe("go | waiting");
  void session.submit("next").catch(() => undefined);
  await expect.poll(() => text(page, "[title=queue]")).toBe("next");
  click(page, "Clear");
  await expect.poll(() => text(page, "[title=queue]")).toBe("");
  click(page, "Allow Write");
  await expect.poll(() => text(page, "pre")).toBe("go | done | Written");
  click(page, "Plan");
  await expect.poll(() => text(page, "[title=state]")).toBe("idle, plan, Named");
  expect(Number(text(page, "[title=window]"))).toBeGreaterThan(0);
});

it("renders at most once per frame while text streams, and only components that show text", async () => {
  const deltas = Array.from({ length: 500 }, (_, index) => `${index} `);
  const session = open([{ deltas, delayMs: 1 }]);
  await session.ready;
  const draws = { transcript: 0, actions: 0 };
  function Streaming() {
    const [turn] = useTranscript(session);
    return turn?.kind === "turn" && turn.items[0]?.kind === "text" && turn.items[0].text;
  }
  function Actions() {
    return String(useSession(session).isRunning);
  }
  const page = draw(
    <>
      <Profiler id="transcript" onRender={() => (draws.transcript += 1)}>
        <pre>
          <Streaming />
        </pre>
      </Profiler>
      <Profiler id="actions" onRender={() => (draws.actions += 1)}>
        <p>
          <Actions />
        </p>
      </Profiler>
    </>,
  );
  await expect.poll(() => text(page, "p")).toBe("false");
  const before = { ...draws };
  let frames = 0;
  let isCounting = true;
  const count = (): void => {
    frames += 1;
    if (isCounting) requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
  await session.submit("count");
  await expect.poll(() => text(page, "pre")).toBe(deltas.join(""));
  isCounting = false;
  // The end of a turn shows at once, beside the frames.
  expect(draws.transcript - before.transcript).toBeLessThanOrEqual(frames + 1);
  expect(draws.transcript - before.transcript).toBeGreaterThan(2);
  // The turn's start and its end; the model's name may come before it.
  expect(draws.actions - before.actions).toBeLessThanOrEqual(3);
});

it("shows nothing for a session that is not open yet, and refuses actions with an explanation", async () => {
  const refused: unknown[] = [];
  function Pending() {
    const { submit, isRunning } = useSession(undefined);
    const rows = [...useTranscript(undefined), ...useEvents(undefined)];
    const { requests, answer } = usePermissionRequests(undefined);
    const { commands } = useCommands(undefined);
    const { edit, move, remove, pause, resume } = useQueue(undefined);
    const actions = [
      () => submit("x"),
      () => answer("x", true),
      () => edit("x", "y"),
      () => move("x", 0),
      () => remove("x"),
      pause,
      resume,
    ];
    const actOut = async (): Promise<void> => {
      for (const result of await Promise.allSettled(actions.map((act) => act())))
        refused.push(result.status === "rejected" ? result.reason : "done");
    };
    return (
      <button onClick={() => void actOut()}>
        {[isRunning, rows.length, requests.length, commands.length].join()}
      </button>
    );
  }
  const page = draw(<Pending />);
  await expect.poll(() => text(page, "button")).toBe("false,0,0,0");
  page.querySelector("button")?.click();
  const refusal = { code: "NOT_FOUND", hint: expect.any(String) };
  await expect.poll(() => refused).toMatchObject(Array.from({ length: 7 }, () => refusal));
});

it("reports why a session's events have ended", async () => {
  const platform = memoryPlatform();
  const provider = new ScriptedProvider([{ text: "mine" }]);
  const holder = new InteractiveSession({ platform, provider, sessionId: "s" });
  await holder.submit("hold");
  const second = new InteractiveSession({ platform, provider, sessionId: "s" });
  function Failure() {
    return useSession(second).failure?.message;
  }
  const page = draw(<Failure />);
  await expect.poll(() => page.textContent).toMatch(/open|held|use/);
  await holder.shutdown();
});

it("lists commands, completes them and runs them", async () => {
  const session = open([]);
  const results: unknown[] = [];
  function Commands() {
    const { match, run } = useCommands(session);
    const runs = (text: string) => () => void run(text).then((result) => results.push(result));
    return (
      <>
        <p>{match("/mo").map(({ name }) => name)}</p>
        <button onClick={runs("/mode plan")}>Plan</button>
        <button onClick={runs("/etc/passwd")}>Path</button>
      </>
    );
  }
  const page = draw(<Commands />);
  await expect.poll(() => text(page, "p")).toContain("mode");
  click(page, "Plan");
  await expect.poll(() => results).toEqual([expect.objectContaining({ success: true })]);
  expect(session.getPermissionMode()).toBe("plan");
  click(page, "Path");
  await expect.poll(() => results.at(1)).toBeNull();
});

it("lists every event", async () => {
  const session = open([{ deltas: ["a", "b", "c"] }]);
  function Log() {
    return useEvents(session)
      .map(({ event, count }) => `${event.type}×${count}`)
      .join(" ");
  }
  const page = draw(<Log />);
  await session.submit("go");
  await expect.poll(() => page.textContent).toMatch(/turn_start×1 .*text_delta×3 .*turn_end×1/);
});

it("shows files, and rereads them for a new revision", async () => {
  const fs = new MemoryFileSystem();
  await fs.mkdir("/w");
  await fs.writeFile("/w/a.md", "");
  function Files({ revision }: { revision: number }) {
    return useFiles(fs, "/w", revision)
      .rows.map(({ name }) => name)
      .join();
  }
  const element = document.createElement("div");
  const root = createRoot(element);
  onTestFinished(() => root.unmount());
  root.render(<Files revision={1} />);
  await expect.poll(() => element.textContent).toBe("a.md");
  await fs.writeFile("/w/b.md", "");
  root.render(<Files revision={2} />);
  await expect.poll(() => element.textContent).toBe("a.md,b.md");
});

it("replays a recorded session", async () => {
  const session = open([{ deltas: ["Hello ", "world"] }]);
  await session.submit("greet");
  const events: SessionEvent[] = [];
  for await (const event of session.events()) {
    events.push(event);
    if (event.type === "turn_end") break;
  }
  function Player() {
    const { view, position, length, seek, play } = useReplay(events);
    const [turn] = view.timeline;
    const item = turn?.kind === "turn" ? turn.items[0] : undefined;
    return (
      <>
        <p>{`${position}/${length} ${item?.kind === "text" ? item.text : ""}`}</p>
        <button onClick={() => seek(0)}>Start</button>
        <button onClick={play}>Play</button>
      </>
    );
  }
  const page = draw(<Player />);
  await expect.poll(() => text(page, "p")).toBe(`0/${events.length} `);
  click(page, "Play");
  await expect.poll(() => text(page, "p")).toBe(`${events.length}/${events.length} Hello world`);
  click(page, "Start");
  await expect.poll(() => text(page, "p")).toBe(`0/${events.length} `);
});

it("draws again for another map, which has no fields to compare", async () => {
  const cell = createCell<ReadonlyMap<string, string>>(new Map());
  const Shown = () => <p>{useReadable(cell).get("key") ?? "nothing"}</p>;
  const element = draw(<Shown />);
  await expect.poll(() => element.textContent).toBe("nothing");
  cell.set(new Map([["key", "needed"]]));
  await expect.poll(() => element.textContent).toBe("needed");
});

it("renders on a server, without subscribing", () => {
  expect(renderToString(<Chat session={open([])} />)).toContain("idle, default, unnamed");
});

it("draws again when a map, a set or a list is replaced", async () => {
  const map = createCell<ReadonlyMap<string, string>>(new Map([["a", "running"]]));
  const set = createCell<ReadonlySet<string>>(new Set(["a"]));
  function Shown() {
    return `${[...useReadable(map).values()].join()} ${[...useReadable(set)].join()}`;
  }
  const element = draw(<Shown />);
  await expect.poll(() => element.textContent).toBe("running a");
  map.set(new Map([["a", "waiting"]]));
  set.set(new Set(["b"]));
  await expect.poll(() => element.textContent).toBe("waiting b");
});
