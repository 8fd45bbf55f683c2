import type { PermissionRequest } from "@robota/runtime";
import { Hand, Square } from "lucide-react";
import type { ReactNode, Ref } from "react";
import { changeWords } from "../diff/change-summary.ts";
import { IconButton } from "../ui/button.tsx";
import { Exact } from "../ui/exact-text.tsx";
import { RequestHeading } from "./request-heading.tsx";
import { type RequestTitle, titleText } from "./request-title.ts";

export interface RequestHeadProps {
  /** Id of the heading. */
  id: string;
  request: PermissionRequest;
  title: RequestTitle;
  heading: Ref<HTMLHeadingElement>;
  /** The place among several requests. */
  position: ReactNode;
  onStop: () => void;
}

/** The question, who asks it, and what happens to files in words; said once to screen readers. */
export function RequestHead({ id, request, title, heading, position, onStop }: RequestHeadProps) {
  // Deletions far below the fold are named beside the title.
  const changes = title.counts ? [] : (request.preview?.changes ?? []);
  const effect = changes.length > 0 && `Dry run: ${changeWords(changes)}`;
  const asker = request.agent && `The agent ${request.agent.type} asks`;
  return (
    <>
      <p role="alert" data-part="visually-hidden">
        {asker && `${asker}: `}
        <Exact text={titleText(title)} /> {effect && `${effect}. `}
        <Exact text={request.reason} />
      </p>
      <header>
        <Hand size={16} aria-hidden="true" />
        <div>
          {asker && <p data-part="approval-asker">{asker}</p>}
          <h2 id={id} ref={heading} tabIndex={-1}>
            <RequestHeading title={title} />
          </h2>
          {effect && <p data-part="approval-effect">{effect}</p>}
        </div>
        {position}
        <IconButton
          data-action="stop"
          label="Stop the turn"
          icon={<Square size={13} fill="currentColor" />}
          onClick={onStop}
        />
      </header>
    </>
  );
}
