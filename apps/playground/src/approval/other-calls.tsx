import { useSelected } from "@robota/react";
import {
  type SessionConnection,
  runningTurn,
  sessionStore,
  type SessionView,
  type TurnItem,
} from "@robota/react/store";
import type { PermissionRequest } from "@robota/runtime";
import { RequestHeading } from "./request-heading.tsx";
import { requestTitle } from "./request-title.ts";

export interface OtherCallsProps {
  session: SessionConnection;
  requests: readonly PermissionRequest[];
  currentId: string;
  onShow: (requestId: string) => void;
}

/** All open requests, to switch between them, and the calls behind them. */
export function OtherCalls({ session, requests, currentId, onShow }: OtherCallsProps) {
  const items = useSelected(sessionStore(session), runningItems);
  const queued = items.filter((item) => item.kind === "tool" && item.phase === "queued");
  return (
    <>
      {requests.length > 1 && (
        <ol data-part="approval-list" aria-label="Open requests">
          {requests.map((request) => (
            <li key={request.id}>
              <button
                type="button"
                aria-current={request.id === currentId || undefined}
                onClick={() => onShow(request.id)}
              >
                {request.agent && `${request.agent.type}: `}
                <RequestHeading title={requestTitle(request, request.preview)} />
              </button>
            </li>
          ))}
        </ol>
      )}
      {queued.length > 0 && (
        <details data-part="approval-queued">
          <summary>
            {queued.length === 1 ? "1 more call follows" : `${queued.length} more calls follow`}
          </summary>
          <ul>
            {queued.map(
              (item) =>
                item.kind === "tool" && (
                  <li key={item.id}>
                    <RequestHeading title={requestTitle(item)} />
                  </li>
                ),
            )}
          </ul>
        </details>
      )}
    </>
  );
}

const nothing: readonly TurnItem[] = [];

function runningItems(view: SessionView): readonly TurnItem[] {
  return runningTurn(view)?.items ?? nothing;
}
