/** Parameters that the file tools share. */

export const LONGEST_ARGUMENT = 10_000;

export const PATH_PARAMETER = {
  type: "string",
  description: "Path of the file, relative to the working folder or absolute.",
};
