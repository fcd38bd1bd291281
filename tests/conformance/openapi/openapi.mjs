// The OpenAPI description by other people's linters and generators of clients: `make conformance`.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { answering, get, judge, serve } from "../served.mjs";

const here = import.meta.dirname;
const folder = `${here}/generated`;
const description = `${folder}/openapi.json`;
const reasons = JSON.parse(readFileSync(`${here}/../not_applicable.json`, "utf8"));
const { check, finish } = judge("openapi");
const own = (name) => `${here}/node_modules/.bin/${name}`;
const run = (command, ...words) =>
  spawnSync(command, words, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: `${here}/.venv/bin:${process.env.PATH}`, REDOCLY_TELEMETRY: "off" },
  });

function lint() {
  const rules = `${here}/spectral.yaml`;
  cpSync(rules, `${folder}/spectral.yaml`); // its overrides are relative to the file with the rules
  const spectral = run(own("spectral"), "lint", "openapi.json", "-r", "spectral.yaml", "-F", "hint");
  check("spectral finds nothing", spectral.status === 0, spectral.stdout + spectral.stderr);
  const words = ["lint", "openapi.json", "--config", `${here}/redocly.yaml`, "--format", "json"];
  const redocly = run(own("redocly"), ...words);
  const { totals } = JSON.parse(redocly.stdout || '{"totals": "no answer"}');
  const clean = redocly.status === 0 && totals.errors === 0 && totals.warnings === 0;
  check("redocly finds nothing", clean, redocly.stdout.slice(0, 2000) + redocly.stderr);
}

// What each call of a generated client prints.
function calls(client, done) {
  check(`${client} runs`, done.status === 0, done.stderr);
  const lines = done.stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  check(`${client} calls ten paths`, new Set(lines.map(({ name }) => name)).size >= 10);
  for (const { name, held, said } of lines) check(`${client}: ${name}`, held, said);
}

function typescript(address) {
  const words = ["openapi.json", "-o", "types.ts", "--default-non-nullable", "false"];
  const written = run(own("openapi-typescript"), ...words);
  check("openapi-typescript writes types", written.status === 0, written.stderr);
  cpSync(`${here}/calls.ts`, `${folder}/calls.ts`);
  writeFileSync(`${folder}/package.json`, '{"type": "module"}');
  const flags = ["--strict", "--target", "es2022", "--module", "esnext"];
  const compiled = run(own("tsc"), ...flags, "--moduleResolution", "bundler", "calls.ts");
  check("tsc accepts the types and the calls", compiled.status === 0, compiled.stdout);
  calls("openapi-fetch", run(process.execPath, "calls.js", address));
}

function orval(address) {
  const output = { target: "orval_client.ts", client: "fetch", baseUrl: address };
  const config = { studio: { input: "openapi.json", output } };
  writeFileSync(`${folder}/orval.config.cjs`, `module.exports = ${JSON.stringify(config)}`);
  const written = run(own("orval"), "--config", "orval.config.cjs");
  check("orval writes a client", written.status === 0, written.stdout + written.stderr);
  cpSync(`${here}/orval.ts`, `${folder}/orval.ts`);
  const flags = ["--strict", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--module", "nodenext"];
  const compiled = run(own("tsc"), ...flags, "orval.ts");
  check("tsc accepts orval's client and the calls", compiled.status === 0, compiled.stdout);
  calls("orval", run(process.execPath, "orval.js"));
}

function python(address) {
  const options = ["--config", `${here}/client.yaml`, "--output-path", "python", "--overwrite"];
  const words = ["generate", "--path", "openapi.json", ...options];
  const written = run(`${here}/.venv/bin/openapi-python-client`, ...words);
  const known = reasons["openapi-python-client warnings"];
  const said = written.stdout.match(/^WARNING .+\n\n.+$/gm) ?? [];
  for (const warning of said.map((text) => text.replaceAll("\n", " "))) {
    const why = Object.entries(known).find(([words]) => warning.includes(words))?.[1];
    if (why) console.log(`n/a  openapi-python-client: ${warning}: ${why}`);
    else check("openapi-python-client: no warning", false, warning);
  }
  check("openapi-python-client writes a client", written.status === 0, written.stderr);
  const interpreter = `${here}/.venv/bin/python`;
  const compiled = run(interpreter, "-W", "error", "-m", "compileall", "-q", "python");
  check("python compiles it", compiled.status === 0, compiled.stdout);
  cpSync(`${here}/calls.py`, `${folder}/python/calls.py`);
  calls("openapi-python-client", run(interpreter, "python/calls.py", address));
}

// Clients that are compiled, but not called: the calls are those of the others above.
function compiled() {
  const heyApi = run(own("openapi-ts"), "-i", "openapi.json", "-o", "hey-api", "-c", "@hey-api/client-fetch");
  check("hey-api writes a client", heyApi.status === 0, heyApi.stdout + heyApi.stderr);
  cpSync(`${here}/kubb.config.mjs`, `${folder}/kubb.config.mjs`);
  const kubb = run(own("kubb"), "generate", "--config", "kubb.config.mjs");
  check("kubb writes a client", kubb.status === 0, kubb.stdout + kubb.stderr);
  for (const language of ["typescript-fetch", "typescript-axios", "python"]) {
    const words = ["generate", "-i", "openapi.json", "-g", language, "-o", `generator-${language}`];
    const written = run(`${here}/.venv/bin/openapi-generator-cli`, ...words);
    check(`openapi-generator writes ${language}`, written.status === 0, written.stdout + written.stderr);
  }
  const flags = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"];
  const bundled = ["--module", "esnext", "--moduleResolution", "bundler", "--allowImportingTsExtensions"];
  for (const client of ["hey-api/index.ts", "kubb/index.ts", "generator-typescript-fetch/index.ts"]) {
    const done = run(own("tsc"), ...flags, ...bundled, client);
    check(`tsc accepts ${client}`, done.status === 0, done.stdout);
  }
  const python = run(`${here}/.venv/bin/python`, "-W", "error", "-m", "compileall", "-q", "generator-python");
  check("python compiles generator-python", python.status === 0, python.stdout);
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const { address, stop } = await serve();
try {
  writeFileSync(description, await (await get(`${address}/openapi.json`)).text());
  lint();
  await answering(address);
  typescript(address);
  orval(address);
  python(address);
  compiled();
} finally {
  await stop();
  rmSync(folder, { recursive: true, force: true });
}
finish();
