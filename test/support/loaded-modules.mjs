// With --import: writes the name of every package that is imported to the file named in LOADED_MODULES.
import { register } from "node:module";

register(
  `data:text/javascript,${encodeURIComponent(`
    import { appendFileSync } from "node:fs";
    export async function resolve(specifier, context, next) {
      const found = await next(specifier, context);
      const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(found.url) ?? [];
      if (name) appendFileSync(process.env.LOADED_MODULES, name + "\\n");
      return found;
    }
  `)}`,
);
