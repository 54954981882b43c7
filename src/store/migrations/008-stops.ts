/** Turns that another process was asked to end. */
import type { Dialect } from "../db.js";

export function stops({ text }: Dialect): readonly string[] {
  return [
    `ALTER TABLE turns ADD COLUMN stop_asked ${text}`,
    "CREATE INDEX turns_to_stop ON turns (owner) WHERE state = 'running' AND stop_asked IS NOT NULL",
  ];
}
