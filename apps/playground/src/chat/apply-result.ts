/** Does what a command leaves to the page: opens another session, or saves a file. */
export function applyResult(
  data: Readonly<Record<string, unknown>>,
  onOpen: (sessionId?: string) => void,
): void {
  const { sessionId, triggerResumePicker, forkedFrom, resetRequested, fileName, text } = data;
  const leaves = triggerResumePicker === true || forkedFrom !== undefined;
  if (leaves && typeof sessionId === "string") onOpen(sessionId);
  else if (resetRequested === true) onOpen();
  else if (typeof fileName === "string" && typeof text === "string") save(fileName, text);
}

function save(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text]));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
