/** The page begins here: who is signed in, and then what they see. */
import { render } from "preact";
import { App } from "./app.js";
import { enter } from "./enter.js";

const root = document.getElementById("page");
if (root) render(<App />, root);
void enter();
