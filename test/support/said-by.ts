import type { ChildProcess } from "node:child_process";

/** What a process has said by now, on both of its streams. */
export function saidBy({ stdout, stderr }: ChildProcess): () => string {
  let said = "";
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  return () => said;
}
