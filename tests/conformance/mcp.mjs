// Other people's MCP clients, the inspector and the conformance suite, at the studio or at a foreign application:
// `make conformance`; `node tests/conformance/mcp.mjs relay`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { answering, judge, program, root, serve, serveForeign } from "./served.mjs";

const STATELESS = "2026-07-28";
const REVISIONS = ["2025-11-25", STATELESS];
const EXTENSION = "extension";
const SKILLS = /^sep-2640-/; // the scenarios of the one extension that is announced
const CALL_MS = 300_000;
const REASONS = JSON.parse(readFileSync(new URL("not_applicable.json", import.meta.url), "utf8"));
const EMPTY = REASONS["mcp scenarios that may find nothing to check"];
const LETTER = {
  name: "Ines Ferreira",
  email: "ines@harbour.example",
  message: "Could you review our tide forecasts in March, please?",
  dryRun: true,
};
const STUDIO = {
  get_project: { slug: "tidebook" },
  send_contact: LETTER,
  search: { query: "what does a project cost?" },
  ask: { query: "What is Tidebook?" },
  route_intent: { goal: "write to the human" },
  read: { section: "projects", slug: "tidebook" },
  fetch: { id: "projects/tidebook" },
  verify: { section: "projects" },
};
const SHIP = "U2hpcDox";
const FLEET = "RmxlZXQ6MQ==";
const BOOK = { title: "Ficciones", year: 1944, authorId: "3" };
const SUBJECTS = {
  studio: {
    server: "quillmere",
    calls: STUDIO,
    // A webhook is subscribed at a public address alone, and there is none here, so none can be ended.
    refused: ["subscribe", "unsubscribe"],
    wrong: ["get_project", { slug: "no-such" }],
    resource: "studio://projects/fathom",
  },
  relay: {
    server: "fleet",
    calls: { node: { id: FLEET }, nodes: { ids: [SHIP, FLEET] }, ship: { id: SHIP }, last_ships: { last: 2 } },
    refused: ["add_ship", "scuttle"], // what is called more than once
    wrong: ["ship", { id: "U2hpcDo5OQ==" }],
  },
  library: {
    server: "reading-room",
    calls: {
      book: { id: "1" },
      book_with_author: { id: "2" },
      find_books: { filter: { year: { since: 1960 } } },
      replace_book: { id: "3", ...BOOK },
      patch_book: { id: "3", year: 1944 },
      search: { text: "Le" },
      entry: { card: "S1" },
      author: { id: "1" },
    },
    refused: ["add_book", "remove_book"],
    wrong: ["author", { id: "99" }],
    headers: { authorization: "Bearer librarian" },
  },
};
const NAME = process.argv[2] ?? "studio";
const SUBJECT = SUBJECTS[NAME];
const IS_STUDIO = NAME === "studio";
// Those of the studio, and more where there are no prompts.
const reasons = (what, more) => ({ ...REASONS[what], ...(IS_STUDIO ? {} : REASONS[more]) });
const INAPPLICABLE = reasons("mcp scenarios", "mcp scenarios of a service without prompts");
const UNTESTABLE = reasons("mcp checks inside other scenarios", "mcp checks of a service without prompts");
const CONVERSATION = {
  messages: [
    { role: "user", content: "Who is behind the studio?" },
    { role: "assistant", content: "One person." },
    { role: "user", content: "What is she studying now?" },
  ],
};
const FILLED = {
  draft_outreach: { purpose: "ask for a review" },
  compare_projects: { a: "tidebook", b: "fathom" },
};

const { check, finish } = judge(`mcp: ${NAME}`);
const told = (value) => JSON.stringify(value).slice(0, 1000);

const here = import.meta.dirname;
// The clients ask more often than one caller may.
const started = IS_STUDIO ? serve({ STUDIOGRAPH_CHAT_LIMIT: "0" }) : serveForeign(NAME);
const { address, env, stop } = await started;
const url = `${address}/mcp`;

// On stdio the models come after the start: until then a tool says that it is to be asked again.
async function called(client, name, given) {
  const deadline = Date.now() + CALL_MS;
  for (;;) {
    const answer = await client.callTool({ name, arguments: given });
    const unready = answer._meta?.["studiograph/problem"]?.error === "ai_unavailable";
    if (!unready || Date.now() > deadline) return answer;
    await pause(500);
  }
}

// Everything that is offered; the clients check what they get against the schemas they were told.
async function drive(name, client, transport) {
  await client.connect(transport);
  check(`${name}: it says who it is`, client.getServerVersion()?.name === SUBJECT.server, told(client.getServerVersion()));
  const { tools } = await client.listTools();
  const calls = tools.map((tool) => [tool.name, SUBJECT.calls[tool.name] ?? {}]);
  if (IS_STUDIO) calls.push(["ask", CONVERSATION]);
  const structured = new Set(tools.filter((tool) => tool.outputSchema).map((tool) => tool.name));
  for (const [tool, given] of calls) {
    if (SUBJECT.refused.includes(tool)) continue;
    const answer = await called(client, tool, given);
    if (tool === "verify" && transport instanceof StdioClientTransport) {
      check(`${name}: a preview has nothing to verify`, answer.isError === true, told(answer));
      continue;
    }
    const isText = !answer.isError && answer.content[0].type === "text";
    const whole = isText && (!structured.has(tool) || answer.structuredContent);
    check(`${name}: ${tool} by ${Object.keys(given).join(", ") || "nothing"}`, whole, told(answer));
  }
  const [asked, given] = SUBJECT.wrong;
  const wrong = await client.callTool({ name: asked, arguments: given });
  check(`${name}: a wrong argument is an answer`, wrong.isError === true);
  const unknown = await client.callTool({ name: "nothing", arguments: {} }).catch((error) => error);
  check(`${name}: an unknown tool is an error`, unknown.code === -32602, unknown);
  const { resources } = await client.listResources();
  const uris = [...resources.map(({ uri }) => uri), ...(SUBJECT.resource ? [SUBJECT.resource] : [])];
  for (const uri of uris) {
    const { contents } = await client.readResource({ uri });
    check(`${name}: ${uri}`, contents[0].text.length > 100);
  }
  if (IS_STUDIO) await driveStudio(name, client);
  await client.close();
}

// What the studio alone offers.
async function driveStudio(name, client) {
  const neither = await client.callTool({ name: "ask", arguments: { topK: 3 } });
  check(`${name}: ask by neither of two is an answer`, neither.isError === true, told(neither));
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
}

const module = (name) => `${here}/node_modules/@modelcontextprotocol/${name}`;
function inspect(era) {
  const inspector = `${module("inspector")}/clients/launcher/build/index.js`;
  const words = ["--cli", url, "--transport", "http", "--protocol-era", era];
  const asked = [inspector, ...words, "--method", "tools/list", "--strict"];
  const done = spawnSync(process.execPath, asked, { encoding: "utf8", timeout: CALL_MS });
  const said = done.error ?? done.stderr;
  check(`the inspector finds every tool portable (${era})`, done.status === 0, said);
}

function suite(...words) {
  const asked = ["--import", `${here}/glob_shim.mjs`, `${module("conformance")}/dist/index.js`];
  return spawnSync(process.execPath, [...asked, ...words], { encoding: "utf8", timeout: CALL_MS });
}

// The scenarios of the official suite, each with what it belongs to: revisions, or an extension.
function scenarios() {
  const listed = suite("list", "--server").stdout.matchAll(/^ *- (\S+) \[(.+)\]$/gm);
  return Array.from(listed, ([, name, where]) => [name, where.split(",")]);
}

function scenario(revision, name) {
  const out = mkdtempSync(join(tmpdir(), "conformance-"));
  const words = ["--url", url, "--scenario", name, "--timeout", `${CALL_MS / 2}`];
  const version = revision === EXTENSION ? [] : ["--spec-version", revision];
  const done = suite("server", ...words, ...version, "-o", out);
  const found = readdirSync(out, { recursive: true }).filter((file) => file.endsWith("checks.json"));
  const checks = found.flatMap((file) => JSON.parse(readFileSync(join(out, file), "utf8")));
  rmSync(out, { recursive: true });
  const of = (...statuses) => checks.filter(({ status }) => statuses.includes(status));
  const failed = of("FAILURE").filter(({ id }) => !(id in UNTESTABLE));
  const passed = of("SUCCESS").length;
  const held = failed.length === 0 && (passed > 0 || (checks.length > 0 && name in EMPTY));
  const faults = failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join("\n");
  const counted = passed > 0 ? `${passed} checks passed` : `nothing to check: ${EMPTY[name]}`;
  check(`${revision} ${name}: ${counted}`, held, faults || told([done.error, done.stderr]));
  for (const { id, status, errorMessage, details } of of("WARNING", "SKIPPED", "FAILURE", "INFO")) {
    const why = UNTESTABLE[id] ?? errorMessage ?? details?.note ?? details?.message;
    const mark = status === "WARNING" ? "warn" : "n/a ";
    if (why && (status !== "FAILURE" || id in UNTESTABLE)) {
      console.log(`${mark} ${revision} ${name}: ${id}: ${why}`);
    }
  }
}

function conform() {
  const listed = scenarios();
  const known = new Map(listed);
  const stale = Object.keys(INAPPLICABLE).filter((name) => !known.has(name));
  check("the suite has every scenario that is left out", stale.length === 0, stale);
  for (const [name, where] of listed) {
    for (const revision of where.filter((one) => REVISIONS.includes(one))) {
      if (name in INAPPLICABLE) console.log(`n/a  ${revision} ${name}: ${INAPPLICABLE[name]}`);
      else scenario(revision, name);
    }
    if (!where.includes(EXTENSION)) continue;
    if (SKILLS.test(name)) scenario(EXTENSION, name);
    else console.log(`n/a  ${name}: an extension that is not announced`);
  }
}

try {
  if (IS_STUDIO) await answering(address);
  const requestInit = { headers: SUBJECT.headers ?? {} };
  const who = { name: "conformance", version: "1.0.0" };
  await drive("v1 over HTTP", new Client(who), new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  for (const mode of ["legacy", "auto", { pin: STATELESS }]) {
    const client = new Client2(who, { versionNegotiation: { mode } });
    await drive(`v2 (${mode.pin ?? mode}) over HTTP`, client, new Http2(new URL(url), { requestInit }));
  }
  const command = { command: program, args: ["mcp"], cwd: root, env, stderr: "ignore" };
  if (IS_STUDIO) await drive("v1 on stdio", new Client(who), new StdioClientTransport(command));
  for (const era of ["legacy", "modern"]) inspect(era);
  conform();
} finally {
  await stop();
}
finish();
