export { ContextPanel } from "./context/context-panel.tsx";
export { EventsPanel } from "./events/events-panel.tsx";
export { ExtensionsPanel } from "./extensions/extensions-panel.tsx";
export { HooksPanel } from "./hooks/hooks-panel.tsx";
export { InspectorActions } from "./inspector-actions.tsx";
export { PermissionsPanel } from "./permissions/permissions-panel.tsx";
export { RequestsPanel } from "./requests/requests-panel.tsx";
export { SettingsInspector } from "./settings/settings-inspector.tsx";
