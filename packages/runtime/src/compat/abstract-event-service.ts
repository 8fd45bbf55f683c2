import { bindWithOwnerPath, type EventService, type OwnedEvent } from "../events/event-service.ts";
import type { OwnerPathSegment } from "../tools/tool.ts";

/** Base for event services written as classes: implement `emit`. */
export abstract class AbstractEventService implements EventService {
  abstract emit(event: OwnedEvent): void;

  /** This service for one owner, whose path is prepended to that of every event. */
  bind(ownerPath: readonly OwnerPathSegment[]): EventService {
    return bindWithOwnerPath(this, ownerPath);
  }
}
