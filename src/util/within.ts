/** Whether `path` is `folder` or lies in it; both absolute and without `..`. Links are not looked at. */
import { sep } from "node:path";

export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
