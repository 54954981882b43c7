/**
 * What jobs said in a chat shortly before its present session began. It is in the transcript of the session before, or of
 * none if nobody had talked there: whoever answers it now would not be understood otherwise.
 */
import type { SessionEntry } from "../../session/session.js";
import type { Message } from "../../session/transcript.js";
import type { JobRuns, Turn } from "../store.js";
import { resultMessages } from "./words.js";

const LATELY_MS = 86_400_000;
const MOST_RESULTS = 3;

/** It depends on nothing but when the session began, so it is the same in each of its turns. */
export async function earlierResults(
  runs: Pick<JobRuns, "delivered">,
  { address }: Turn,
  { createdAt }: SessionEntry,
): Promise<Message[]> {
  const found = await runs.delivered(address, createdAt - LATELY_MS, createdAt, MOST_RESULTS);
  return found.flatMap((one) => resultMessages(one, one.run.said ?? ""));
}
