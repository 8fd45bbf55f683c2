export {
  chatEntryToMessage,
  getMessagesForAPI,
  type HistoryEntry,
  isChatEntry,
  messageToHistoryEntry,
} from "../messages/history.ts";
