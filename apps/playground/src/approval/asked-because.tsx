import type { PermissionRequest } from "@robota/runtime";
import { useMemo } from "react";
import { Exact } from "../ui/exact-text.tsx";
import { whyAsked } from "./why-asked.ts";

/** Why a person is asked: the rule and where it stands, or that none matches. */
export function AskedBecause({ request }: { request: PermissionRequest }) {
  const { rule, place, command, text } = useMemo(() => whyAsked(request), [request]);
  return (
    <p data-part="approval-reason">
      Why asked:{" "}
      {rule === undefined ? (
        <Exact text={text} />
      ) : (
        <>
          the rule{" "}
          <code>
            <Exact text={rule} />
          </code>
          {place !== undefined && ` (from ${place})`} {text}
        </>
      )}
      {command !== undefined && (
        <>
          {" "}
          It is about{" "}
          <code>
            <Exact text={command} />
          </code>
          .
        </>
      )}
    </p>
  );
}
