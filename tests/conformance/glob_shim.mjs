// The conformance suite imports fs.globSync, which node has since 22 and which its tests of servers
// do not call: an older node is given one that finds nothing.
import fs from "node:fs";
import { register } from "node:module";

const hooks = `
export async function resolve(specifier, context, next) {
  const asked = specifier === "fs" && context.parentURL?.includes("/conformance/");
  return asked ? { url: "glob:fs", shortCircuit: true } : next(specifier, context);
}
export async function load(url, context, next) {
  if (url !== "glob:fs") return next(url, context);
  const source = 'export * from "node:fs"; export const globSync = () => [];';
  return { format: "module", shortCircuit: true, source };
}`;
if (fs.globSync === undefined) register(`data:text/javascript,${encodeURIComponent(hooks)}`);
