import { useSelected } from "@robota/react";
import { sessionStore } from "@robota/react/store";
import type { InteractiveSession } from "@robota/runtime";
import { useEffect, useState } from "react";
import { turnMoment } from "../turn-moment.ts";
import { problemText } from "../use-busy.ts";
import { type CommandReply, runCommand } from "../run-command.ts";

/** The reply of a command that lists something: read at first, after each turn, and when `refresh` is called. */
export function useCommandList(session: InteractiveSession, name: string) {
  const [reply, setReply] = useState<CommandReply>();
  const [problem, setProblem] = useState("");
  const [revision, setRevision] = useState(0);
  const moment = useSelected(sessionStore(session), turnMoment);

  useEffect(() => {
    let isCurrent = true;
    runCommand(session, name).then(
      (found) => isCurrent && (setReply(found), setProblem("")),
      (error: unknown) => isCurrent && setProblem(problemText(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [session, name, revision, moment]);

  return { reply, problem, refresh: () => setRevision((before) => before + 1) };
}
