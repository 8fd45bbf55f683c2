// The cost of an agent here and in other SDKs, on the same work in the same run: `npm run bench`.
//   --runs 3 --rounds 3            fresh processes that often, and rounds in each
//   --wires anthropic,openai-chat  --scenarios turn,tool  --sections peers,crowd,hosts,further,turns,shell,playground,hello
import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hostsSection } from "../hosts/report.ts";
import { writeSection } from "../section.ts";
import type { AdapterName } from "./adapters/index.ts";
import { crowdReport } from "./crowd.ts";
import { furtherReport } from "./further.ts";
import { installPeer, PEER_NAMES, versionsOf } from "./install.ts";
import { startServer, stop } from "./processes.ts";
import { wireReport } from "./report.ts";
import { measure, type Samples } from "./rounds.ts";
import { SCENARIOS, type ScenarioName } from "./scenarios.ts";
import { PATHS, type Wire } from "./wires.ts";

/** Those that goals are about, with what they are measured by. */
const JUDGED: AdapterName[] = ["raw", "sdk", "robota", "session-memory"];
const OWN: AdapterName[] = [...JUDGED, "session-disk"];
const COMPARED: ScenarioName[] = ["turn", "burst", "live", "tool", "history", "sessions"];

/** Benches that stand by themselves, by the section that they write. */
const PROGRAMS = {
  turns: "turn-cost.ts",
  sessions: "session-cost.ts",
  shell: "shell-speed.ts",
  search: "search-speed.ts",
  files: "file-speed.ts",
  playground: "playground-speed.ts",
  hello: "hello-cost.ts",
} as const;
type ProgramName = keyof typeof PROGRAMS;
const PROGRAM_NAMES = Object.keys(PROGRAMS) as ProgramName[];
const SECTIONS = ["peers", "crowd", "hosts", "further", ...PROGRAM_NAMES] as const;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "3" },
    rounds: { type: "string", default: "3" },
    wires: { type: "string", default: Object.keys(PATHS).join(",") },
    scenarios: { type: "string", default: COMPARED.join(",") },
    sections: { type: "string", default: SECTIONS.join(",") },
  },
});
const wires = chosen(values.wires, Object.keys(PATHS) as Wire[]);
const scenarios = chosen(values.scenarios, Object.keys(SCENARIOS) as ScenarioName[]);
const sections = chosen(values.sections, SECTIONS);

function chosen<Name extends string>(given: string, known: readonly Name[]): Name[] {
  return given.split(",").map((name) => {
    const found = known.find((candidate) => candidate === name);
    if (found) return found;
    throw new Error(`There is no "${name}"; there are ${known.join(", ")}`);
  });
}

function say(text: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
}

/** Those that are there or could be brought. */
function installPeers(): AdapterName[] {
  return PEER_NAMES.filter((peer) => {
    const problem = installPeer(peer);
    if (problem) say(`Without ${peer}, which could not be installed: ${problem}`);
    return problem === undefined;
  });
}

/** Scenarios without a goal are for comparison and run once: the peers, the disk, the Responses API. */
async function measureWire(
  wire: Wire,
  peers: readonly AdapterName[],
  root: string,
): Promise<string> {
  const runs: Samples[] = [];
  const count = wire === "openai-responses" ? 1 : Number(values.runs);
  for (let run = 0; run < count; run++) {
    say(`${wire}, run ${run + 1} of ${count}`);
    const adapters = run === 0 ? [...OWN, ...peers] : JUDGED;
    runs.push(await measure({ wire, adapters, scenarios, rounds: Number(values.rounds), root }));
  }
  return wireReport(wire, [...OWN, ...peers], runs);
}

async function peersSection(root: string): Promise<string> {
  const peers = installPeers();
  const reports: string[] = [];
  for (const wire of wires) reports.push(await measureWire(wire, peers, root));
  const versions = PEER_NAMES.filter((peer) => peers.includes(peer)).map(versionsOf);
  return [
    "## Beside the bare SDKs and other agents",
    `CPU time (\`process.cpuUsage()\`, all threads) of the same work: a server on loopback speaks the three wire formats, and
each system runs in a process of its own that stays warm. \`raw\` is \`fetch\` and a loop over the text, with nothing that a
product needs; the bare SDK is the service's own client with a loop around it. \`Robota\` is this project's loop. \`Session\`
has permissions, a hook before and after each tool, context tracking and its log on, kept in memory or on disk.`,
    ...reports,
    `Medians of the ratios within a round, quartiles behind; ${values.runs} runs of ${values.rounds} rounds each that take turns with each other,
the disk, the peers and the Responses API in one run. Peers: ${versions.join("; ") || "none could be installed"}. Node ${process.version},
${cpus()[0]?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores.`,
  ].join("\n\n");
}

const { root, server } = await startServer();
if (sections.includes("peers")) {
  const text = await peersSection(root);
  console.log(text);
  writeSection("peers", text);
}
if (sections.includes("crowd")) {
  say("many sessions at once");
  const judged = wires.filter((wire) => wire !== "openai-responses");
  const text = await crowdReport(judged, Number(values.rounds), root);
  console.log(text);
  writeSection("crowd", text);
}
if (sections.includes("hosts")) {
  say("in Chromium and in workerd");
  const text = await hostsSection(root, Number(values.rounds));
  console.log(text);
  writeSection("hosts", text);
}
if (sections.includes("further")) {
  say("building the packages");
  spawnSync(join(import.meta.dirname, "../../../node_modules/.bin/tsc"), ["-b"]);
  say("starting, waiting, storing, downloading");
  const text = `## Starting, waiting, storing, downloading\n\n${await furtherReport(root, OWN)}`;
  console.log(text);
  writeSection("further", text);
}
await stop(server);
for (const name of PROGRAM_NAMES.filter((program) => sections.includes(program))) {
  say(name);
  const file = join(import.meta.dirname, "..", PROGRAMS[name]);
  const { status } = spawnSync(process.execPath, [...process.execArgv, file], { stdio: "inherit" });
  // The results so far are already written, and the remaining scenarios are still worth measuring.
  if (status !== 0) process.exitCode = 1;
}
