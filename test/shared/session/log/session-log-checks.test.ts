import { validateSessionReplayLogEntries } from "@robota/runtime";
import { type SessionLogEntry } from "@robota/runtime/log";
import { describe, expect, it } from "vitest";

describe("the validation of a trace", () => {
  const entry = (event: string, data: SessionLogEntry["data"]): SessionLogEntry => ({
    v: 1,
    timestamp: "2026-01-01T00:00:00.000Z",
    sessionId: "s",
    event,
    data,
  });
  const place = { executionId: "e", round: 1 };
  const whole = [
    entry("provider_request", place),
    entry("provider_native_raw_payload", { ...place, payloadKind: "stream_event" }),
    entry("provider_response_raw", { ...place, responseKind: "message" }),
    entry("provider_response_normalized", place),
    entry("tool_execution_request", { ...place, toolCallId: "t" }),
    entry("tool_execution_result", { ...place, toolCallId: "t" }),
  ];
  const codes = (entries: SessionLogEntry[]): string[] =>
    validateSessionReplayLogEntries(entries).map(({ code }) => code);

  it("finds nothing in a complete trace", () => {
    expect(codes(whole)).toEqual([]);
  });

  it.each([
    [0, ["orphan-response", "orphan-response", "orphan-response"]],
    [1, ["missing-native-raw-payload"]],
    [2, ["missing-raw-response"]],
    [3, ["missing-normalized-response"]],
    [4, ["unmatched-tool-result"]],
    [5, ["unmatched-tool-request"]],
  ])("finds the consequences of a missing entry %i", (index, expected) => {
    expect(codes(whole.toSpliced(index, 1))).toEqual(expected);
  });

  it("distinguishes requests from answers, and rounds from runs", () => {
    const request = entry("provider_native_raw_payload", { ...place, payloadKind: "request" });
    expect(codes(whole.with(1, request))).toEqual(["missing-native-raw-payload"]);
    const other = entry("provider_response_raw", { executionId: "e", round: 2 });
    expect(codes([...whole, other])).toEqual(["orphan-response"]);
    const elsewhere = entry("tool_execution_result", {
      ...place,
      executionId: "f",
      toolCallId: "t",
    });
    expect(codes(whole.with(5, elsewhere))).toEqual([
      "unmatched-tool-request",
      "unmatched-tool-result",
    ]);
  });

  it("finds dangling references, and unresolvable changes", () => {
    const sha256 = "a".repeat(64);
    const reference = {
      kind: "external-payload",
      encoding: "json",
      sha256,
      byteLength: 40_000,
      relativePath: `s.payloads/${sha256}.json`,
    };
    expect(codes([entry("assistant", { content: reference })])).toEqual([]);
    for (const wrong of [
      { sha256: "../../etc/passwd" },
      { relativePath: `../s.payloads/${sha256}.json` },
      { relativePath: `s.payloads/${"b".repeat(64)}.json` },
      { encoding: "gzip" },
      { byteLength: "many" },
    ])
      expect(codes([entry("assistant", { content: { ...reference, ...wrong } })])).toEqual([
        "invalid-payload-reference",
      ]);
    expect(codes([entry("pre_run", { history: { kind: "history", upTo: -1 } })])).toEqual([
      "invalid-history-reference",
    ]);
    expect(codes([entry("history_mutation", { sequence: 1, operation: "append" })])).toEqual([
      "invalid-history-mutation",
    ]);
  });
});
