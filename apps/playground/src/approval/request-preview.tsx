import type { PermissionRequest } from "@robota/runtime";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { DiffList } from "../diff/diff-list.tsx";
import { Button } from "../ui/button.tsx";
import { Exact, ExactText } from "../ui/exact-text.tsx";
import { DryRun } from "./dry-run.tsx";

export interface RequestPreviewProps {
  request: PermissionRequest;
  /** The command in its present form, for calls that have one. */
  command: string | undefined;
  onCommand: (command: string) => void;
}

/** The exact content to approve: the whole command or address, the changes, or all arguments, to the last line. */
export function RequestPreview({ request, command, onCommand }: RequestPreviewProps) {
  const { args, preview } = request;
  const changes = preview?.changes ?? [];
  const isEdited = command !== args["command"];
  return (
    <>
      {command !== undefined && (
        <Command
          text={command}
          description={args["description"]}
          isEdited={isEdited}
          onChange={onCommand}
        />
      )}
      {changes.length === 0 && command === undefined && (
        <ExactText text={plainArguments(args)} what="arguments" />
      )}
      {command !== undefined && preview?.note && <DryRun note={preview.note} isStale={isEdited} />}
      <DiffList changes={changes} isWhole />
      {command === undefined && preview?.note && (
        <p data-part="approval-note">
          <Exact text={preview.note} />
        </p>
      )}
    </>
  );
}

interface CommandProps {
  text: string;
  description: unknown;
  isEdited: boolean;
  onChange: (text: string) => void;
}

function Command({ text, description, isEdited, onChange }: CommandProps) {
  const [isAsked, setAsked] = useState(false);
  /** An edit that was left takes no focus when it is back. */
  const [wasEdited] = useState(isEdited);
  return (
    <div data-part="approval-command">
      {typeof description === "string" && (
        <p dir="auto">
          The model says:{" "}
          <q>
            <Exact text={description} />
          </q>
        </p>
      )}
      {isAsked || wasEdited ? (
        <textarea
          aria-label="Command to run"
          value={text}
          autoFocus={isAsked}
          spellCheck={false}
          autoCapitalize="off"
          onFocus={({ target }) => target.setSelectionRange(text.length, text.length)}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <>
          <ExactText text={text} what="command" />
          <Button look="bare" icon={<Pencil size={13} />} onClick={() => setAsked(true)}>
            Edit command
          </Button>
        </>
      )}
      {isEdited && (
        <p data-part="approval-note">Your version runs, after the rules have judged it too.</p>
      )}
    </div>
  );
}

/** A single text, such as an address, needs no JSON around it. */
function plainArguments(args: PermissionRequest["args"]): string {
  const values = Object.values(args);
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? only : JSON.stringify(args, null, 2);
}
