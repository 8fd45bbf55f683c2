import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkLife } from "../../support/session-life.ts";
import { bundleWorker, startWorker } from "./worker-process.ts";

const KILLS = Number(process.env["ROBOTA_KILLS"] ?? 8);

let directory: string;
let bundle: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "robota-session-death-"));
  await mkdir(join(directory, "workspace"));
  await writeFile(join(directory, "workspace/a.txt"), "at first\n");
  bundle = await bundleWorker(directory, "session-death-worker.ts");
});
afterAll(() => rm(directory, { recursive: true, maxRetries: 5 }));

async function live(first: number): Promise<readonly string[]> {
  const worker = startWorker(bundle, directory, String(first));
  await worker.waitForLines(6 + Math.floor(Math.random() * 36));
  // Between two things that it tells, too.
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 15));
  await worker.kill();
  return worker.lines;
}

it(
  `loses no completed turns over ${KILLS} kills, and restores files after each`,
  { timeout: 60_000 + KILLS * 20_000 },
  async () => {
    let acknowledged = 0;
    let rewound = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const lines = await live(kill * 1_000);
      const platform = nodePlatform({ home: directory });
      const life = await checkLife(platform, { cwd: join(directory, "workspace"), lines });
      await platform.dispose();
      expect(life.problems).toEqual([]);
      acknowledged += life.reported;
      if (life.isRewound) rewound += 1;
    }
    console.info(
      `${KILLS} kills, ${acknowledged} events shown, none lost; files back ${rewound} times`,
    );
    expect(acknowledged).toBeGreaterThan(KILLS * 5);
    expect(rewound).toBeGreaterThan(KILLS / 4);
  },
);
