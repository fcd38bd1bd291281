// Other people's MCP clients, the inspector and the conformance suite: `make conformance`.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const STATELESS = "2026-07-28";
// The scenarios that ask for what every server has. The others ask for tools, resources and prompts
// of the suite's own sample server, or for sampling, elicitation, tasks and logging.
const SCENARIOS = {
  "2025-11-25": [
    ...["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"],
    ...["dns-rebinding-protection", "server-sse-multiple-streams", "server-sse-polling"],
    "server-session-lifecycle",
  ],
  [STATELESS]: [
    ...["server-stateless", "http-header-validation", "caching", "sep-2164-resource-not-found"],
    ...["tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"],
    ...["server-sse-multiple-streams", "input-required-result-unsupported-methods"],
    "input-required-result-ignore-extra-params",
  ],
};
const LETTER = {
  name: "Ines Ferreira",
  email: "ines@harbour.example",
  message: "Could you review our tide forecasts in March, please?",
  dryRun: true,
};
const ARGUMENTS = { get_project: { slug: "tidebook" }, send_contact: LETTER };
const FILLED = {
  draft_outreach: { purpose: "ask for a review" },
  compare_projects: { a: "tidebook", b: "fathom" },
};

const failures = [];
const check = (name, passed, detail = "") => {
  if (!passed) failures.push(name);
  console.log(`${passed ? "ok  " : "FAIL"} ${name}${passed ? "" : ` ${detail}`}`);
};

const here = import.meta.dirname;
const root = new URL("../..", import.meta.url).pathname;
const program = `${root}/.venv/bin/studiograph`;
const data = mkdtempSync(join(tmpdir(), "studiograph-"));
const env = { ...process.env, STUDIOGRAPH_PORT: "0", STUDIOGRAPH_DATA: data };
const server = spawn(program, ["serve"], { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
const lines = createInterface({ input: server.stdout });
const [line] = await once(lines, "line");
const url = `${line.match(/http:\/\/[^;]+/)[0]}/mcp`;

// Everything that is offered; the clients check what they get against the schemas they were told.
async function drive(name, client, transport) {
  await client.connect(transport);
  check(`${name}: it says who it is`, client.getServerVersion()?.name === "quillmere");
  const { tools } = await client.listTools();
  for (const tool of tools) {
    const called = await client.callTool({ name: tool.name, arguments: ARGUMENTS[tool.name] ?? {} });
    const whole = !called.isError && called.structuredContent && called.content[0].type === "text";
    check(`${name}: ${tool.name}`, whole, JSON.stringify(called).slice(0, 200));
  }
  const wrong = await client.callTool({ name: "get_project", arguments: { slug: "no-such" } });
  check(`${name}: a wrong argument is an answer`, wrong.isError === true);
  const unknown = await client.callTool({ name: "nothing", arguments: {} }).catch((error) => error);
  check(`${name}: an unknown tool is an error`, unknown.code === -32602, unknown);
  const { resources } = await client.listResources();
  for (const { uri } of [...resources, { uri: "studio://projects/fathom" }]) {
    const { contents } = await client.readResource({ uri });
    check(`${name}: ${uri}`, contents[0].text.length > 100);
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  check(`${name}: the templates`, resourceTemplates.length > 0);
  const { prompts } = await client.listPrompts();
  for (const prompt of prompts) {
    const said = await client.getPrompt({ name: prompt.name, arguments: FILLED[prompt.name] });
    check(`${name}: ${prompt.name}`, said.messages[0].content.text.startsWith("# "));
  }
  const ref = { type: "ref/prompt", name: "compare_projects" };
  const begun = await client.complete({ ref, argument: { name: "a", value: "t" } });
  check(`${name}: completion`, begun.completion.values.join() === "tidebook");
  await client.close();
}

const module = (name) => `${here}/node_modules/@modelcontextprotocol/${name}`;
function inspect(era) {
  const inspector = `${module("inspector")}/clients/launcher/build/index.js`;
  const words = ["--cli", url, "--transport", "http", "--protocol-era", era];
  const asked = [inspector, ...words, "--method", "tools/list", "--strict"];
  const done = spawnSync(process.execPath, asked, { encoding: "utf8", timeout: 60_000 });
  check(`the inspector finds every tool portable (${era})`, done.status === 0, done.stderr);
}

// One scenario of the official suite: what the suite calls not testable is no failure.
function scenario(revision, name) {
  const out = mkdtempSync(join(tmpdir(), "conformance-"));
  const suite = [`${module("conformance")}/dist/index.js`, "server", "--url", url];
  const asked = ["--import", `${here}/glob_shim.mjs`, ...suite, "--scenario", name];
  spawnSync(process.execPath, [...asked, "--spec-version", revision, "-o", out], { timeout: 90_000 });
  const found = readdirSync(out, { recursive: true }).filter((file) => file.endsWith("checks.json"));
  const checks = found.flatMap((file) => JSON.parse(readFileSync(join(out, file), "utf8")));
  rmSync(out, { recursive: true });
  const failed = checks.filter(
    ({ status, errorMessage = "" }) =>
      status === "FAILURE" && !errorMessage.startsWith("Not testable"),
  );
  const detail = failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join("\n");
  check(`${revision} ${name}: ${checks.length} checks`, found.length > 0 && !failed.length, detail);
}

try {
  const who = { name: "conformance", version: "1.0.0" };
  await drive("v1 over HTTP", new Client(who), new StreamableHTTPClientTransport(new URL(url)));
  const command = { command: program, args: ["mcp"], cwd: root, env, stderr: "ignore" };
  await drive("v1 on stdio", new Client(who), new StdioClientTransport(command));
  for (const mode of ["legacy", "auto", { pin: STATELESS }]) {
    const client = new Client2(who, { versionNegotiation: { mode } });
    await drive(`v2 (${mode.pin ?? mode}) over HTTP`, client, new Http2(new URL(url)));
  }
  for (const era of ["legacy", "modern"]) inspect(era);
  for (const [revision, names] of Object.entries(SCENARIOS)) {
    for (const name of names) scenario(revision, name);
  }
} finally {
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(data, { recursive: true });
}
console.log(failures.length === 0 ? "mcp: all held" : `mcp: ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
