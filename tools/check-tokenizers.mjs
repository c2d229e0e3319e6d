/**
 * npm run check:tokenizers [-- FOLDER]: the tokenizers of six published model families, fetched by npm, and two Unigram
 * models of SentencePiece, fetched by pip (PYTHON names the interpreter), against the ids and texts of the Python library
 * `tokenizers` (test/golden/tokenizers), and conversations built turn by turn against the rendering of each model's own
 * chat template and of published templates with tools. FOLDER keeps what was fetched for another time.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { convertUnigram } from './sentencepiece-model.mjs';
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
/** Of the test data of the package; the texts are a novel and articles, so they have no chat template. */
const unigrams = {
  package: 'sentencepiece',
  version: '0.2.3',
  names: ['botchan_en_unigram_1000', 'kyoto_ja_unigram_8000'],
};
const tool = {
  type: 'function',
  function: {
    name: 'search',
    description: 'Searches the shop.',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
};
/** Templates that put the system message, or the tools, before the last message of the user. */
const movesBegin = /the text before the first user message changes with later messages/;
/** Templates among the models of llama.cpp, which its Python package carries, each with a tokenizer that is fetched above. */
const templates = {
  package: 'llama-cpp-python',
  version: '0.3.36',
  folder: 'vendor/llama.cpp/models/templates',
  names: {
    'HuggingFaceTB-SmolLM3-3B': { family: 'qwen2_5', eos_token: '<|im_end|>' },
    'Qwen-Qwen2.5-7B-Instruct': { family: 'qwen2_5', eos_token: '<|im_end|>' },
    'Qwen-Qwen3-0.6B': { family: 'qwen3', eos_token: '<|im_end|>', refusal: /rewrites earlier replies/ },
    'google-gemma-2-2b-it': { family: 'gemma3', eos_token: '<end_of_turn>' },
    'meta-llama-Llama-3.1-8B-Instruct': { family: 'llama3', eos_token: '<|eot_id|>' },
    'meta-llama-Llama-3.2-3B-Instruct': { family: 'llama3', eos_token: '<|eot_id|>' },
    'meta-llama-Llama-3.3-70B-Instruct': { family: 'llama3', eos_token: '<|eot_id|>' },
    'Mistral-Small-3.2-24B-Instruct-2506': { family: 'llama2', eos_token: '</s>', toolRefusal: movesBegin },
    'mistralai-Mistral-Nemo-Instruct-2407': { family: 'llama2', eos_token: '</s>', refusal: movesBegin },
  },
};

const given = process.argv[2];
const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'tokenizers-')) : resolve(given);
const failures = [];
let resolvePrompt;
let createContextFactory;
try {
  if (install() !== 0 || build() !== 0) throw new Error('npm could not install or build the project');
  const { createTokenizer, loadTokenizer } = await import('@espalier/model');
  ({ resolvePrompt } = await import('@espalier/contracts/prompt-format'));
  const { validateTokenizer, ...rollout } = await import('@espalier/rollout');
  ({ createContextFactory } = rollout);
  for (const [name, expected] of Object.entries(golden.models)) {
    const isUnigram = unigrams.names.includes(name);
    if (isUnigram) fetchUnigram(name);
    else fetchPackage(name);
    const path = isUnigram ? join(folder, name, 'tokenizer.json') : fileOf(name, 'tokenizer.json');
    const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
    if (hash !== expected.sha256)
      throw new Error(`${name}: tokenizer.json is another one, its sha256 is ${hash}`);
    const config = isUnigram ? { eos_token: '</s>' } : { ...readConfig(name), ...expectations[name].config };
    const tokenizer = createTokenizer({ tokenizer: JSON.parse(readFileSync(path, 'utf8')), config }, name, {
      needsTemplate: !isUnigram,
    });
    compareIds(name, tokenizer, expected);
    if (!isUnigram) validateTokenizer(tokenizer);
    const outcome = isUnigram ? 'none' : checkConversation(name, tokenizer);
    console.log(`${name}: ${golden.texts.length} texts, conversation ${outcome}`);
  }
  checkTurnEnd(loadTokenizer);
  fetchSource(templates);
  for (const [name, { family, eos_token, refusal, toolRefusal = refusal }] of Object.entries(
    templates.names,
  )) {
    const chat_template = readFileSync(join(sourceOf(templates), templates.folder, `${name}.jinja`), 'utf8');
    const config = { ...readConfig(family), ...expectations[family].config, eos_token, chat_template };
    const tokenizer = createTokenizer({ tokenizer: readJson(family, 'tokenizer.json'), config }, name);
    for (const variables of [{}, { tools: [tool] }]) {
      const prompt = { ...options('required'), template: { variables } };
      const finding = findRefusal(() => createContextFactory(tokenizer, prompt));
      const what = `${name} ${variables.tools === undefined ? 'without' : 'with'} tools`;
      const wanted = variables.tools === undefined ? refusal : toolRefusal;
      const isExpected = wanted === undefined ? finding === undefined : wanted.test(finding ?? '');
      if (!isExpected)
        failures.push(`${what}: a conversation is ${finding ?? 'accepted, though it drops replies'}`);
      console.log(`${what}: conversation ${finding === undefined ? 'equal' : 'refused'}`);
    }
  }
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
console.log(failures.length === 0 ? 'all equal' : `${failures.length} differ`);
process.exitCode = failures.length === 0 ? 0 : 1;

function compareIds(name, tokenizer, { ids, decoded }) {
  let differences = 0;
  for (const [index, text] of golden.texts.entries()) {
    if (tokenizer.encode(text).join() !== ids[index].join()) differences += 1;
    if (tokenizer.decode(ids[index]) !== decoded[index]) differences += 1;
  }
  if (differences > 0) failures.push(`${name}: ${differences} of ${golden.texts.length} texts differ`);
}

function checkConversation(name, tokenizer) {
  const { refusal } = expectations[name];
  const finding = findRefusal(() => createContextFactory(tokenizer, options('required')));
  const isExpected = refusal === undefined ? finding === undefined : refusal.test(finding ?? '');
  if (!isExpected)
    failures.push(`${name}: a conversation is ${finding ?? 'accepted, though it drops replies'}`);
  if (refusal !== undefined) createContextFactory(tokenizer, options('none'));
  return finding === undefined ? 'equal' : 'refused';
}

/** As Google publishes Gemma 3: eos_token is <eos>, and its template ends turns with another token, which generation_config.json lists. */
function checkTurnEnd(load) {
  const name = 'gemma3';
  const place = join(folder, `${name}-turns`);
  mkdirSync(place, { recursive: true });
  const write = (file, value) => writeFileSync(join(place, file), JSON.stringify(value));
  write('tokenizer.json', readJson(name, 'tokenizer.json'));
  write('tokenizer_config.json', { ...readConfig(name), eos_token: '<eos>' });
  write('generation_config.json', { eos_token_id: [1, 106] });
  const tokenizer = load(place);
  const [end] = tokenizer.encode('<end_of_turn>');
  if (tokenizer.endOfTurn !== end)
    failures.push(`${name}: a turn ends with ${tokenizer.endOfTurn}, not with <end_of_turn> (${end})`);
  console.log(`${name}: a turn ends with ${end}, conversation ${checkConversation(name, tokenizer)}`);
}

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

function fetchUnigram(name) {
  const place = join(folder, name);
  if (existsSync(join(place, 'tokenizer.json'))) return;
  fetchSource(unigrams);
  mkdirSync(place, { recursive: true });
  const model = readFileSync(join(sourceOf(unigrams), 'test', `${name}.model`));
  writeFileSync(join(place, 'tokenizer.json'), JSON.stringify(convertUnigram(model)));
}

function sourceOf({ package: name, version }) {
  return join(folder, `${name.replaceAll('-', '_')}-${version}`);
}

/** Fetches the source of a Python package. */
function fetchSource(source) {
  if (existsSync(sourceOf(source))) return;
  const { package: name, version } = source;
  const words = ['-m', 'pip', 'download', '--quiet', '--no-deps', `--no-binary=${name}`, `--dest=${folder}`];
  if (run(process.env.PYTHON ?? 'python3', [...words, `${name}==${version}`]) !== 0)
    throw new Error(`${name}: pip could not fetch it`);
  if (run('tar', ['xzf', `${sourceOf(source)}.tar.gz`, '-C', folder]) !== 0)
    throw new Error(`${name}: tar failed`);
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
