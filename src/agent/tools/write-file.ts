/** The tool `write_file`: writes a whole file, new or in place of an old one, and never half of it. */
import type { Tool } from "../agent.js";
import type { Confined } from "./confined.js";
import { approvedOnly, fileDanger } from "./file-danger.js";
import { LONGEST_ARGUMENT, PATH_PARAMETER } from "./parameters.js";
import { answering } from "./refused.js";
import { MOST_BYTES, sizeText } from "./text-file.js";

const PARAMETERS = {
  type: "object",
  properties: {
    path: PATH_PARAMETER,
    content: { type: "string", description: "The whole text of the file." },
  },
  required: ["path", "content"],
  additionalProperties: false,
};

export function writeFileTool(confined: Confined): Tool {
  return {
    name: "write_file",
    description:
      "Writes a whole text file and replaces what it contained. Creates missing folders. To change part of a file, use edit_file.",
    parameters: PARAMETERS,
    danger: (args) => fileDanger(confined, "write", args),
    run: answering(async (args, context) => {
      const path = args.words("path", LONGEST_ARGUMENT);
      const content = Buffer.from(args.text("content", MOST_BYTES).toWellFormed());
      const { path: where, before } = await confined.replaceFile(
        path,
        content,
        approvedOnly(confined, "write", context),
      );
      const size = sizeText(content.length);
      return before
        ? `Wrote ${size} to ${where}, which had ${sizeText(before.size)} before.`
        : `Wrote ${size} to ${where}, a new file.`;
    }),
  };
}
