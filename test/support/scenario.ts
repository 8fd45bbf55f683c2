import { InteractiveSession, type SessionEvent } from "@robota/runtime";
import { OfflineProvider, sampleProject } from "@robota/runtime/providers/offline";
import type { Host } from "../hosts/host.ts";

/** The result of the scenario, without anything that differs between runs or machines. */
export interface ScenarioRecord {
  events: unknown[];
  files: Record<string, string>;
  answers: string[];
}

const CHANGE = 'replace "[^a-z0-9]/g" with "[^a-z0-9]+/g" in src/rules.js';

/**
 * The main job, on a small project with a failing check: look around, propose a change (denied with a reason), propose
 * it again (allowed), run the check, answer. Every step uses the host's files and shell.
 */
export async function runScenario({ platform, cwd }: Host): Promise<ScenarioRecord> {
  const { fs } = platform;
  for (const [path, text] of Object.entries(sampleProject.files)) {
    await fs.mkdir(`${cwd}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await fs.writeFile(`${cwd}/${path}`, text);
  }
  const session = new InteractiveSession({
    platform,
    cwd,
    provider: new OfflineProvider(),
    sessionId: "scenario",
  });
  const answers = [
    { allow: false, reason: "show me the check first" },
    { allow: true },
    { allow: true, scope: "session" as const },
    { allow: true },
  ];
  session.on("permission_request", ({ id }) => {
    const answer = answers.shift() ?? { allow: false, reason: "not expected" };
    void session.resolvePermission(id, answer);
  });
  const said: string[] = [];
  for (const prompt of [
    `read src/rules.js\nfind slugify\n${CHANGE}`,
    `run sh check.sh\n${CHANGE}\nrun sh check.sh`,
  ]) {
    said.push((await session.submit(prompt)).response);
  }
  await session.shutdown();

  const replayed = new InteractiveSession({
    platform,
    cwd,
    provider: new OfflineProvider(),
    resumeSessionId: "scenario",
  });
  const events: SessionEvent[] = [];
  for await (const event of replayed.events()) {
    events.push(event);
    if (event.type === "session_shutdown") break;
  }
  await replayed.shutdown();
  const files: Record<string, string> = {};
  for (const path of Object.keys(sampleProject.files)) {
    files[path] = new TextDecoder().decode(await fs.readFile(`${cwd}/${path}`));
  }
  return normalized({ events, files, answers: said }, cwd);
}

/** Recognises the note of a dry run, which only a virtual shell makes before asking for approval. */
function isDryRun(value: unknown): boolean {
  const note = typeof value === "object" && value !== null && "note" in value ? value.note : "";
  return typeof note === "string" && note.startsWith("Dry run");
}

/**
 * Replaces ids by their order, times by 0 and the working directory by `/workspace`, and drops values that depend on
 * the length of its path.
 */
function normalized(record: ScenarioRecord, cwd: string): ScenarioRecord {
  const ids = new Map<string, string>();
  const text = JSON.stringify(record, (key, value: unknown) => {
    if (["usage", "systemMessage", "promptReport"].includes(key) || isDryRun(value))
      return undefined;
    if (["time", "timestamp", "durationMs", "mtimeMs"].includes(key)) return 0;
    return value;
  })
    .replaceAll(cwd, "/workspace")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      const known = ids.get(id) ?? `id-${ids.size + 1}`;
      ids.set(id, known);
      return known;
    });
  return JSON.parse(text) as ScenarioRecord;
}
