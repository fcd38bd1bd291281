// Clients that other people's generators write from the GraphQL schema: `make conformance`.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { generate } from "@graphql-codegen/cli";
import { get, judge, serve } from "./served.mjs";

const here = import.meta.dirname;
const folder = `${here}/generated`;
const SCALARS = { Slug: "string", DateTime: "string", Date: "string" };
const { check, finish } = judge("graphql clients");
const own = (name) => `${here}/node_modules/.bin/${name}`;
const run = (...words) => spawnSync(words[0], words.slice(1), { cwd: folder, encoding: "utf8" });

// Compile the calls and make them.
function call(client, source, url) {
  cpSync(`${here}/graphql/${source}.ts`, `${folder}/${source}.ts`);
  // The types that Relay's runtime comes with are not clean, so only ours are checked.
  const flags = ["--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--outDir", "made"];
  const compiled = run(own("tsc"), ...flags, `${source}.ts`);
  check(`tsc accepts the types of ${client} and the calls`, compiled.status === 0, compiled.stdout);
  const done = run(process.execPath, `made/${source}.js`, url);
  check(`${client} runs`, done.status === 0, done.stderr);
  const lines = done.stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  check(`${client} makes ten calls`, lines.length >= 10);
  for (const { name, held, said } of lines) check(`${client}: ${name}`, held, said);
}

async function codegen(url) {
  await generate({
    schema: url,
    documents: `${here}/graphql/calls.graphql`,
    silent: true,
    config: { defaultScalarType: "string", useTypeImports: true },
    generates: {
      [`${folder}/types.ts`]: { plugins: ["typescript"] },
      [`${folder}/operations.ts`]: {
        plugins: ["typescript-operations", "typed-document-node"],
      },
    },
  });
  const everything = run(own("tsc"), "--noEmit", "--strict", "types.ts");
  check("tsc accepts the types of the whole schema", everything.status === 0, everything.stdout);
  call("graphql-codegen", "codegen", url);
}

async function relay(url) {
  const schema = await (await get(`${url}/schema`)).text();
  writeFileSync(`${folder}/schema.graphql`, schema);
  const queries = readFileSync(`${here}/graphql/calls.graphql`, "utf8").split(/^(?=query )/m);
  const tagged = queries.map((query, number) => `export const q${number} = graphql\`${query}\`;\n`);
  const source = `import { graphql } from "relay-runtime";\n${tagged.join("")}`;
  mkdirSync(`${folder}/src`);
  writeFileSync(`${folder}/src/calls.ts`, source);
  const config = {
    src: "./src",
    schema: "./schema.graphql",
    language: "typescript",
    artifactDirectory: "./__generated__",
    eagerEsModules: true,
    customScalarTypes: SCALARS,
  };
  writeFileSync(`${folder}/relay.config.json`, JSON.stringify(config));
  mkdirSync(`${folder}/__generated__`);
  const compiled = run(own("relay-compiler"));
  check("relay-compiler writes artifacts", compiled.status === 0, compiled.stdout + compiled.stderr);
  call("relay", "relay", url);
}

process.chdir(here); // where graphql-codegen looks for its plugins
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
writeFileSync(`${folder}/package.json`, '{"type": "module"}');
const { address, stop } = await serve();
try {
  await codegen(`${address}/api/graphql`);
  await relay(`${address}/api/graphql`);
} finally {
  await stop();
  rmSync(folder, { recursive: true, force: true });
}
finish();
