import { afterAll, beforeAll, expect, it } from "vitest";
import { checkMatrix, MATRIX_TOKENS } from "../../support/network/access-matrix.ts";
import { checkSocketMatrix } from "../../support/network/socket-matrix.ts";
import { startWorkerd, type Workerd } from "../workerd.ts";

const VARIABLES = {
  API_TOKENS: JSON.stringify(MATRIX_TOKENS),
  TICKET_SECRET: "0123456789abcdef0123456789abcdef",
  SESSIONS_PER_OWNER: "200",
  REQUESTS_PER_MINUTE: "100000",
  // A worker notices only with the next ping that a reader is gone.
  STREAMS_PER_OWNER: "1000",
};

let workerd: Workerd;

beforeAll(async () => {
  workerd = await startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    variables: VARIABLES,
  });
});
afterAll(() => workerd[Symbol.asyncDispose]());

/** Milliseconds for some hundred requests, on a machine that has other work. */
const timeout = 300_000;

it(
  "answers every operation to every caller as the matrix of access says, in workerd",
  { timeout },
  async () => {
    expect(await checkMatrix({ url: workerd.url, isOpen: false }, "")).toBeGreaterThan(300);
  },
);

it("answers every operation to every caller over a socket, too", { timeout }, async () => {
  expect(await checkSocketMatrix({ url: workerd.url, isOpen: false }, "")).toBeGreaterThan(270);
});

it("does so where callers without a token are let in", { timeout }, async () => {
  await workerd.kill();
  await workerd.start({ ...VARIABLES, ALLOW_ANONYMOUS_OFFLINE: "1" });
  const anonymous = `anonymous-${"x".repeat(43)}`;
  expect(await checkMatrix({ url: workerd.url, isOpen: true }, anonymous)).toBeGreaterThan(350);
  expect(await checkSocketMatrix({ url: workerd.url, isOpen: true }, anonymous)).toBeGreaterThan(
    300,
  );
});
