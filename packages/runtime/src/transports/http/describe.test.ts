import { expect, it } from "vitest";
import { httpFixture } from "../../../../../test/support/network/http-sessions.ts";
import { operationList } from "./operations.ts";

it("describes exactly the routes that it serves", async () => {
  const { transport, call } = httpFixture();
  const served = new Set(
    transport.routes
      .filter(({ method, path }) => method !== "ALL" && path !== "/*")
      .map(({ method, path }) => `${method} ${path}`),
  );
  expect(served).toEqual(new Set(operationList.map(({ method, path }) => `${method} ${path}`)));

  const document = (await (await call("/openapi.json", { token: null })).json()) as {
    openapi: string;
    paths: Record<string, Record<string, { parameters: { name: string }[]; responses: object }>>;
  };
  expect(document.openapi).toBe("3.1.0");
  for (const { method, path, responses } of operationList) {
    const named = path.replaceAll(/:(\w+)(?:\{\.\+\})?/g, "{$1}");
    const described = document.paths[named]?.[method.toLowerCase()];
    expect(Object.keys(described?.responses ?? {})).toEqual(
      expect.arrayContaining(Object.keys(responses)),
    );
    for (const [, name] of path.matchAll(/:(\w+)/g)) {
      expect(described?.parameters.map((parameter) => parameter.name)).toContain(name);
    }
  }
});

it("is served without authentication, as JSON and as text", async () => {
  const { call } = httpFixture();
  expect(await (await call("/healthz", { token: null })).json()).toEqual({ status: "ok" });
  const words = await (await call("/llms.txt", { token: null })).text();
  for (const { path } of operationList)
    expect(words).toContain(path.replaceAll(/:(\w+)(?:\{\.\+\})?/g, "{$1}"));
});

it("answers an unknown route with a problem", async () => {
  const { call } = httpFixture();
  const response = await call("/nothing");
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: "NO_SUCH_ROUTE" });
});
