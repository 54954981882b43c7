/** Transcripts of Claude Code, one file a session. They were written at a terminal of this machine's owner, and stay there. */
import { basename } from "node:path";
import type { Fields } from "../../util/json.js";
import { readClaudeEntry } from "./claude-entry.js";
import type { ImportContext } from "./context.js";
import { textIn } from "./fields.js";
import { stemOf } from "./folder.js";
import { type FoundSession, foundSession, type ImportSource } from "./found-session.js";
import { terminalPlace } from "./place.js";
import { readTreeFile, type TranscriptFile } from "./transcript-file.js";
import { leftOutNote } from "./tree-notes.js";
import { foldTree } from "./tree-transcript.js";

const FORMAT = "claude-code";

export function openClaudeCode(
  path: string,
  files: readonly TranscriptFile[],
  context: ImportContext,
): ImportSource {
  return {
    format: FORMAT,
    path,
    sessions: files.map((file) => ({ file: file.name, read: () => sessionIn(file, context) })),
    close: async () => {},
  };
}

async function sessionIn(file: TranscriptFile, context: ImportContext): Promise<FoundSession | null> {
  let folder: string | undefined;
  const reader = (json: Fields) => {
    folder ??= textIn(json.cwd);
    return readClaudeEntry(json);
  };
  const { entries, modifiedAt } = await readTreeFile(file, reader, context.problems);
  const tree = foldTree(entries);
  if (tree.messages.length === 0 && tree.summary === undefined) {
    const why =
      tree.aside > 0
        ? "It is the transcript of a subagent; only conversations with people come in."
        : "There is no message in it.";
    context.problems.add(file.name, null, why);
    return null;
  }
  return foundSession(
    {
      format: FORMAT,
      file: file.name,
      originalId: stemOf(file),
      place: terminalPlace(context.scopes),
      bind: false,
      transcript: tree,
      modifiedAt,
      title: tree.title,
      displayName: folder && basename(folder),
      metadata: folder ? { folder } : {},
      summary: tree.summary,
      consolidated: tree.consolidated,
      usage: tree.usage,
      ...leftOutNote(tree),
    },
    context,
  );
}
