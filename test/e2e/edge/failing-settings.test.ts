import { expect, it } from "vitest";
import { startWorkerd } from "../workerd.ts";

it("a session answers again after its operator's settings could not be read once", async () => {
  await using workerd = await startWorkerd({
    entry: "test/workerd/failing-settings-worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    variables: { API_TOKEN: "secret" },
  });
  const ask = (path: string, method = "GET"): Promise<Response> =>
    fetch(workerd.url + path, { method, headers: { authorization: "Bearer secret" } });
  const { id } = (await (await ask("/v1/sessions", "POST")).json()) as { id: string };

  await ask("/fail-once");
  expect((await ask(`/v1/sessions/${id}`)).status).toBe(500);
  expect((await ask(`/v1/sessions/${id}`)).status).toBe(200);
});
