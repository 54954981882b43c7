// A process that restores a store and kills itself at the given step of the copying.
import { restoreSqlite } from "../../dist/store/sqlite/restore.js";

const [path, file, step] = process.argv.slice(2);
let steps = 0;
await restoreSqlite(path, file, Date.now(), () => {
  steps += 1;
  if (steps === Number(step)) process.kill(process.pid, "SIGKILL");
});
