// A vitest reporter: writes which files failed, with their tests and the first line of each error, as JSON to $BATON_FAILURES.
import { writeFileSync } from "node:fs";

const firstLine = (error) => String(error?.message ?? error).split("\n", 1)[0];

export default class FailuresReporter {
  onTestRunEnd(modules, unhandledErrors, reason) {
    const files = modules
      .filter((module) => module.state() === "failed")
      .map((module) => ({
        file: module.moduleId,
        tests: [
          ...module.errors().map((error) => ({ name: "(the file itself)", error: firstLine(error) })),
          ...[...module.children.allTests("failed")].map((test) => ({
            name: test.fullName,
            error: firstLine(test.result().errors?.[0]),
          })),
        ],
      }));
    const unhandled = unhandledErrors.map(firstLine);
    writeFileSync(process.env.BATON_FAILURES, JSON.stringify({ files, unhandled, reason }));
  }
}
