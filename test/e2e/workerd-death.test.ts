import { afterAll, beforeAll, expect, it } from "vitest";
import { startWorkerd, type Workerd } from "./workerd.ts";

const KILLS = Number(process.env["ROBOTA_KILLS"] ?? 20);
/** Bytes of each content. The file takes more than one row, so that a half-written one would show. */
const SIZES = { file: 2_000_000, swap: 300_000, value: 50_000 };
type Route = keyof typeof SIZES;
const ROUTES = Object.keys(SIZES) as Route[];

let workerd: Workerd;

beforeAll(async () => {
  workerd = await startWorkerd({
    entry: "test/workerd/durability-worker.ts",
    objects: { STORE: "Store" },
  });
});
afterAll(() => workerd[Symbol.asyncDispose]());

it(
  `keeps all acknowledged writes over ${KILLS} kills, and no partial ones`,
  { timeout: 60_000 + KILLS * 5_000 },
  async () => {
    /** The newest version of each that was acknowledged. */
    const newest: Record<Route, number> = { file: 0, swap: 0, value: 0 };
    const logged = new Set<string>();
    let next = 1;

    for (let kill = 0; kill < KILLS; kill++) {
      let acknowledgements = 0;
      const deadline = 1 + Math.floor(Math.random() * 25);
      const dead = Promise.withResolvers<void>();
      const isOver = (): boolean => acknowledgements >= deadline;
      const acknowledge = (): void => {
        acknowledgements += 1;
        // The kill is sent in the same turn in which the acknowledgement was read.
        if (acknowledgements === deadline) workerd.kill().then(dead.resolve, dead.reject);
      };
      /** One client that writes version after version until the process is gone. */
      const write = async (route: Route | "log"): Promise<void> => {
        while (!isOver()) {
          const version = next++;
          const body = route === "log" ? String(version) : contentOf(route, version);
          try {
            const response = await fetch(`${workerd.url}/${route}`, { method: "POST", body });
            expect(response.status).toBe(200);
            await response.arrayBuffer();
          } catch (error) {
            if (isOver()) return;
            throw error;
          }
          if (route === "log") logged.add(String(version));
          else newest[route] = version;
          if (isOver()) return;
          acknowledge();
        }
      };
      await Promise.all([...ROUTES, "log" as const, "log" as const].map(write));
      await dead.promise;
      await workerd.start();

      for (const route of ROUTES) {
        if (newest[route] === 0) continue;
        const bytes = new Uint8Array(await (await fetch(`${workerd.url}/${route}`)).arrayBuffer());
        const version = versionOf(bytes);
        expect(bytes.length, route).toBe(SIZES[route]);
        expect(Buffer.compare(bytes, contentOf(route, version)), `${route} is of one version`).toBe(
          0,
        );
        expect(version, route).toBeGreaterThanOrEqual(newest[route]);
      }
      await expectWholeLog(logged);
    }
  },
);

/** Each append put its entry in twice: both are there or none, and no number is missing. */
async function expectWholeLog(acknowledged: ReadonlySet<string>): Promise<void> {
  const entries = (await (await fetch(`${workerd.url}/log`)).json()) as [number, string][];
  expect(entries.map(([seq]) => seq)).toEqual(entries.map((_, index) => index + 1));
  const versions = entries.map(([, text]) => text);
  for (let index = 0; index < versions.length; index += 2) {
    expect(versions[index + 1]).toBe(versions[index]);
  }
  expect(versions).toEqual(expect.arrayContaining([...acknowledged]));
}

function contentOf(route: Route, version: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(SIZES[route]).fill(version % 256);
  new DataView(bytes.buffer).setUint32(0, version);
  return bytes;
}

function versionOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
}
