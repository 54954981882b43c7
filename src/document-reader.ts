/** The program that reads one document: bytes in, text out, as JSON. Baton starts it for each, and ends it if it must. */
import { buffer } from "node:stream/consumers";
import { readDocument } from "./document/document.js";

const [most = "0"] = process.argv.slice(2);
const answer = await readDocument(await buffer(process.stdin), Number(most));
process.stdout.write(JSON.stringify(answer), () => process.exit(0));
