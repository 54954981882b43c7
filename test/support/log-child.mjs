// A process that writes numbered lines into the log of a home folder, then says so.
import { fileLog } from "../../dist/log/file-log.js";

const [home, name, count, bytes] = process.argv.slice(2);
const log = fileLog({
  home,
  by: "gateway",
  limits: { bytes: Number(bytes), kept: 1_000 },
  onProblem: (problem) => process.send({ problem }),
});
for (let n = 0; n < Number(count); n++) log("info", `${name} ${n}`);
process.send({ done: true });
