/** The letter in which a message of the outbox goes to its platform. Pure. */
import type { Letter, LocalFile } from "../adapter/adapter.js";
import type { Delivery } from "./store.js";

/** `files`: those of the delivery, as they are on this machine. */
export function letterOf(delivery: Delivery, files: readonly LocalFile[] | null): Letter {
  const { address, purpose, text, deliveryId, createdAt: writtenAt, replyTo, buttons } = delivery;
  // A turn, the result of a job, or another conversation said it there. Files are sent beside what is said.
  const transcript = purpose === "reply" && !files?.length ? delivery.sessionId : null;
  return {
    address,
    purpose,
    text,
    deliveryId,
    writtenAt,
    ...(replyTo ? { replyTo } : {}),
    ...(files ? { files } : {}),
    ...(buttons ? { buttons } : {}),
    ...(transcript === null ? {} : { transcript }),
    ...(purpose === "announcement" ? { onlyThere: true } : {}),
  };
}
