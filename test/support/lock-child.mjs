// A contender for home folders: takes each folder its parent names, says how that went, and lives on until it is let go.
import { takeHome } from "../../dist/gateway/home-lock.js";

process.on("disconnect", () => process.exit(0));
process.on("message", (home) => {
  try {
    const lock = takeHome(home, Date.now());
    process.send({ kind: lock.kind, pid: lock.holder?.pid ?? process.pid });
  } catch (error) {
    process.send({ kind: String(error), pid: process.pid });
  }
});
