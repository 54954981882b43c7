/** A model that answers at once, in a process of its own: prints its address, and ends with its parent. */
import { ModelServer } from "../../test/support/model-server.js";

const server = await ModelServer.start(() => ({
  text: ["Hello", " to", " you."],
  usage: { input: 10, output: 3 },
}));
console.log(server.url);
process.stdin.resume().on("end", () => void server.close());
