import type { ShellOutput } from "../../ports/shell.ts";
import { assert, assertBytes, assertEqual, type CaseTable } from "../contract.ts";
import { run, type ShellFixture } from "./fixture.ts";

function recorder(): { chunks: ShellOutput[]; text(stream: ShellOutput["stream"]): string } {
  const chunks: ShellOutput[] = [];
  return {
    chunks,
    text: (stream) =>
      chunks
        .filter((chunk) => chunk.stream === stream)
        .map(({ text }) => text)
        .join(""),
  };
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export const outputCases: CaseTable<ShellFixture> = {
  "keeps the two streams apart": async (fixture) => {
    const { stdout, stderr } = await run(fixture, "echo out; echo err >&2; echo out again");
    assertEqual([stdout, stderr], ["out\nout again\n", "err\n"]);
  },

  "keeps the order within a stream and adds nothing": async (fixture) => {
    const { stdout } = await run(
      fixture,
      "printf a; printf b; echo c; for i in 1 2 3; do printf $i; done",
    );
    assertEqual(stdout, "abc\n123");
  },

  "joins the streams when the script does": async (fixture) => {
    const { stdout, stderr } = await run(fixture, "{ echo out; echo err >&2; } 2>&1");
    assertEqual([stdout, stderr], ["out\nerr\n", ""]);
  },

  "passes every character through": async (fixture) => {
    const text = "äöü ß € 😀 日本語 \t \\ ' \" $HOME `id` é";
    const { stdout } = await run(fixture, "cat", { stdin: text });
    assertEqual(stdout, text);
    const { stdout: literal } = await run(fixture, "printf '%s' 'häßlich €😀'");
    assertEqual(literal, "häßlich €😀");
  },

  "streams output while the command runs": async (fixture) => {
    const output = recorder();
    let early = 0;
    await run(fixture, "echo first; sleep 0.4; echo second", {
      onOutput(chunk) {
        output.chunks.push(chunk);
        if (chunk.text.startsWith("first")) early = performance.now();
      },
    });
    assert(performance.now() - early > 250, "the first line came before the command was done");
    assertEqual(output.text("stdout"), "first\nsecond\n");
  },

  "streams exactly the output of the result, before it resolves": async (fixture) => {
    const output = recorder();
    const result = await run(
      fixture,
      'for i in 1 2 3; do echo "line $i ä"; echo "note $i" >&2; done; false || echo end; exit 4',
      { onOutput: (chunk) => output.chunks.push(chunk) },
    );
    assertEqual(output.text("stdout"), result.stdout);
    assertEqual(output.text("stderr"), result.stderr);
    assertEqual(result.exitCode, 4);
    assertEqual(result.stdout, "line 1 ä\nline 2 ä\nline 3 ä\nend\n");
  },

  "keeps the output before a failure of the script": async (fixture) => {
    const { stdout, exitCode } = await run(fixture, "echo before; no-such-command-here");
    assertEqual([stdout, exitCode], ["before\n", 127]);
  },

  "truncates output at the limit, reports it, and lets the command finish": async (fixture) => {
    const output = recorder();
    const { exitCode, stdout, stderr, truncated } = await run(
      fixture,
      "for i in $(seq 1 200); do echo 0123456789; done; echo x > done; exit 5",
      { maxOutputBytes: 1000, onOutput: (chunk) => output.chunks.push(chunk) },
    );
    assertEqual([exitCode, stderr, truncated], [5, "", true]);
    assertEqual(stdout, "0123456789\n".repeat(100).slice(0, 1000));
    assertEqual(output.text("stdout"), stdout);
    assertBytes(await fixture.fs.readFile(`${fixture.cwd}/done`), "x\n");
  },

  "counts the limit in bytes and never cuts a character": async (fixture) => {
    const { stdout, truncated } = await run(fixture, "printf '€€€€€€€€€€'", { maxOutputBytes: 10 });
    assertEqual([stdout, truncated], ["€€€", true]);
    const both = await run(fixture, "printf 12345; printf 67890 >&2", { maxOutputBytes: 8 });
    assertEqual(bytesOf(both.stdout + both.stderr), 8);
    assertEqual(both.truncated, true);
  },

  "does not report exactly fitting output as truncated": async (fixture) => {
    const { stdout, truncated } = await run(fixture, "printf 1234567890", { maxOutputBytes: 10 });
    assertEqual([stdout, truncated], ["1234567890", false]);
  },

  "handles ten megabytes of output": async (fixture) => {
    await fixture.fs.writeFile(`${fixture.cwd}/line`, `${"x".repeat(1023)}\n`.repeat(1024));
    const command = "for i in 1 2 3 4 5 6 7 8 9 10; do cat line; done";
    const whole = await run(fixture, command);
    assertEqual([whole.stdout.length, whole.exitCode, whole.truncated], [10_485_760, 0, false]);
    const cut = await run(fixture, command, { maxOutputBytes: 30_000 });
    assertEqual([cut.stdout.length, cut.exitCode, cut.truncated], [30_000, 0, true]);
  },
};
