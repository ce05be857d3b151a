// Runs every golden case in the WebAssembly planner and compares: node run_wasm.mjs MODULE GOLDEN_FOLDER
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

const [module_path, golden] = process.argv.slice(2);
const module = new WebAssembly.Module(fs.readFileSync(module_path));

// What an abort would print with. Any other import would be a way out of the planner.
const allowed = ['fd_close', 'fd_seek', 'fd_write'];
for (const { module: from, name } of WebAssembly.Module.imports(module))
  assert.ok(from === 'wasi_snapshot_preview1' && allowed.includes(name), `the planner calls the system: ${from}.${name}`);
const refuse = () => { throw new Error('the planner aborted'); };
const planner = new WebAssembly.Instance(module, {
  wasi_snapshot_preview1: Object.fromEntries(allowed.map((name) => [name, refuse])),
}).exports;
planner._initialize();

function plan(source, is_conf, preset, facts) {
  const texts = [source, preset, facts].map((text) => Buffer.from(text));
  const memory = texts.map((text) => planner.cocoon_alloc(text.length));
  texts.forEach((text, i) => new Uint8Array(planner.memory.buffer, memory[i], text.length).set(text));
  const length = planner.cocoon_plan(memory[0], texts[0].length, is_conf ? 1 : 0, memory[1], texts[1].length,
                                     memory[2], texts[2].length);
  const result = Buffer.from(new Uint8Array(planner.memory.buffer, planner.cocoon_result(), length)).toString();
  memory.forEach((address) => planner.cocoon_free(address));
  return JSON.parse(result);
}

const read = (...parts) => fs.readFileSync(path.join(golden, ...parts), 'utf8');
const exists = (...parts) => fs.existsSync(path.join(golden, ...parts));
let compared = 0;
for (const file of fs.readdirSync(path.join(golden, 'cases')).filter((name) => name.endsWith('.facts.json'))) {
  const name = file.slice(0, -'.facts.json'.length);
  const { host, policy, ...special } = JSON.parse(read('cases', file));
  if (policy) continue;  // the page has no operator
  const facts = { ...JSON.parse(read('hosts', `${host}.json`)), ...special };
  const is_conf = exists('cases', `${name}.conf`);
  const source = read('cases', is_conf ? `${name}.conf` : `${name}.request.json`);
  const { runtime, steps } = is_conf ? {} : JSON.parse(source);
  const preset_of = (name) => (name ? read('presets', `${name}.json`) : '');
  const presets = steps ? `[${steps.map((step) => preset_of(step.runtime) || 'null').join(',')}]` : preset_of(runtime);
  const result = plan(source, is_conf, presets, JSON.stringify(facts));
  if (name.startsWith('error-')) {
    assert.deepEqual(result.error, JSON.parse(read('cases', `${name}.error.json`)), name);
  } else {
    assert.deepEqual(result.plan, JSON.parse(read('cases', `${name}.plan.json`)), name);
    assert.ok(result.steps.length > 0, name);
  }
  ++compared;
}
assert.ok(compared > 30);
console.log(`${compared} cases give the same plans as WebAssembly, ${fs.statSync(module_path).size} bytes`);
