import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { askAtTerminal } from "../../../packages/adapters-node/src/cli/workspace-trust.ts";

const request = {
  cwd: "/project",
  findings: [],
  isChanged: false,
  digest: "0",
  signal: new AbortController().signal,
};

function terminal() {
  const stdin = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  return { stdin, stderr, answer: askAtTerminal(request, { stdin, stderr }) };
}

it.each([
  ["Ctrl+C", "\u0003"],
  ["Ctrl+D", "\u0004"],
  ["Ctrl+C behind some words", "ye\u0003"],
])("%s at the trust question interrupts the program", async (_, keys) => {
  const { stdin, answer } = terminal();
  stdin.write(keys);
  await expect(answer).rejects.toMatchObject({ name: "Interrupted" });
});

it("a later answer is accepted", async () => {
  const yes = terminal();
  yes.stdin.write("yes\r");
  expect(await yes.answer).toBe(true);
  const no = terminal();
  no.stdin.write("\r");
  expect(await no.answer).toBe(false);
});
