import type { FileSystem, Shell } from "@robota/runtime";
import { describe, expect, it } from "vitest";
import { different, groups, start } from "./groups.ts";
import { createWorkplace, isSame } from "./replay.ts";

/** Vitest's own limit is for one command; this is for a group of them. */
const GROUP_MS = 60_000;

export type WithShell = (
  run: (host: { fs: FileSystem; shell: Shell }) => Promise<void>,
) => Promise<void>;

/** Replays every recorded command line and holds the answers against those of bash, and the list of differences to be true. */
export function conformsToBash(name: string, withShell: WithShell): void {
  describe(`${name} answers as bash and GNU tools do`, () => {
    it.each(groups)(
      "$name",
      async ({ cases }) => {
        await withShell(async (host) => {
          const workplace = await createWorkplace(host, start);
          const wrong: unknown[] = [];
          for (const expected of cases) {
            const actual = await workplace.answer(expected.command);
            const isListed = different.has(expected.command);
            if (isSame(expected, actual) === isListed) {
              const what = isListed ? "is equal now: take it off the list" : { expected, actual };
              wrong.push({ command: expected.command, what });
            }
          }
          expect(wrong).toEqual([]);
        });
      },
      GROUP_MS,
    );
  });
}
