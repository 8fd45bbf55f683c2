import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { expect, it } from "vitest";
import { type JqCase, jqCases } from "../../conformance/jq-cases.ts";

const FAILED = 5;
/** Cases in one test: a test for each would cost more than the cases. */
const BATCH = 50;

const fs = new MemoryFileSystem({ files: { "/code/": "" } });
const shell = new VirtualShell({ fs });

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

async function answer({ args, input = "" }: JqCase): Promise<JqCase> {
  await fs.writeFile("/code/input", input);
  const command = `jq ${args.map(quote).join(" ")} < input`;
  const { stdout, stderr, exitCode } = await shell.exec(command, { cwd: "/code" });
  return { args, ...(input === "" ? {} : { input }), stdout, stderr, exitCode };
}

/** Messages of a program's errors are compared; of others, for example about its syntax, only whether there is one. */
function comparable({ stderr, ...answered }: JqCase): unknown {
  return { ...answered, stderr: answered.exitCode === FAILED ? stderr : stderr !== "" };
}

const batches = Array.from({ length: Math.ceil(jqCases.length / BATCH) }, (_, at) => at * BATCH);

it.each(batches)("answers as jq 1.6 from case %i", async (from) => {
  for (const expected of jqCases.slice(from, from + BATCH))
    expect(comparable(await answer(expected))).toEqual(comparable(expected));
});
