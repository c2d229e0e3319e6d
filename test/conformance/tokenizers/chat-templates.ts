/**
 * @file Chat templates written for these tests, each with the behaviour of a published family: how it opens and closes
 * turns, where its system message goes, what it refuses, trims, dates and drops.
 */

export interface TemplateCase {
  readonly template: string;
  /** token that ends a turn */
  readonly end: string;
  /** token that begins a conversation; default: `<s>` */
  readonly begin?: string;
  readonly system: 'role' | 'in the first user message';
  /** why conversations of several turns with reasoning are refused; absent: they are supported */
  readonly refusal?: RegExp;
}

const generation = (text: string): string => `{% if add_generation_prompt %}${text}{% endif %}`;

/** What drops the reasoning of replies before the last question; a variable may keep it. */
const dropsReasoning = (kept: string): string =>
  '{% set ns = namespace(last=messages|length - 1, open=true) %}' +
  "{% for m in messages[::-1] %}{% if ns.open and m.role == 'user' %}{% set ns.open = false %}" +
  '{% set ns.last = messages|length - 1 - loop.index0 %}{% endif %}{% endfor %}' +
  '{% for m in messages %}{% set content = m.content %}' +
  `{% if m.role == 'assistant' and '</think>' in content and loop.index0 < ns.last and not (${kept}) %}` +
  "{% set content = content.split('</think>')[-1].lstrip('\\n') %}{% endif %}" +
  "{{ '<|im_start|>' + m.role + '\\n' + content + '<|im_end|>\\n' }}{% endfor %}" +
  generation(
    "{{ '<|im_start|>assistant\\n' }}{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}",
  );

/** Templates by family. */
export const templateCases: Readonly<Record<string, TemplateCase>> = {
  'ChatML with a default system message and tools, as Qwen2.5 and SmolLM2': {
    template:
      "{% if tools %}{{ '<|im_start|>system\\n# Tools\\n' + (tools | tojson) + '<|im_end|>\\n' }}{% endif %}" +
      "{% for m in messages %}{% if loop.first and m.role != 'system' %}{{ '<|im_start|>system\\nYou are made for tests.<|im_end|>\\n' }}{% endif %}" +
      "{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>' + '\\n' }}{% endfor %}" +
      generation("{{ '<|im_start|>assistant\\n' }}"),
    end: '<|im_end|>',
    system: 'role',
  },
  'headers, a date and trimmed contents, as Llama 3': {
    template:
      "{{ bos_token }}{% if not date_string is defined %}{% set date_string = '26 Jul 2024' %}{% endif %}" +
      "{% if messages[0].role == 'system' %}{% set system = messages[0].content | trim %}{% set rest = messages[1:] %}{% else %}{% set system = '' %}{% set rest = messages %}{% endif %}" +
      "{{ '<|start_header_id|>system<|end_header_id|>\\n\\nToday: ' + date_string + '\\n\\n' + system + '<|eot_id|>' }}" +
      "{% for m in rest %}{{ '<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' + m.content | trim + '<|eot_id|>' }}{% endfor %}" +
      generation("{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}"),
    end: '<|eot_id|>',
    system: 'role',
  },
  'instructions with the system message inside and strict turns, as Llama 2': {
    template:
      "{% if messages[0].role == 'system' %}{% set system = '<<SYS>>\\n' + messages[0].content + '\\n<</SYS>>\\n\\n' %}{% set rest = messages[1:] %}{% else %}{% set system = '' %}{% set rest = messages %}{% endif %}" +
      "{% for m in rest %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}" +
      "{% if m.role == 'user' %}{{ bos_token + '[INST] ' + (system if loop.first else '') + m.content | trim + ' [/INST]' }}" +
      "{% else %}{{ ' ' + m.content | trim + ' ' + eos_token }}{% endif %}{% endfor %}",
    end: '</s>',
    system: 'role',
  },
  'strict turns without a system role, as Mistral': {
    template:
      '{{ bos_token }}{% for m in messages %}' +
      "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate user/assistant') }}{% endif %}" +
      "{% if m.role == 'user' %}{{ '[INST] ' + m.content + ' [/INST]' }}{% else %}{{ m.content + eos_token }}{% endif %}{% endfor %}",
    end: '</s>',
    system: 'in the first user message',
  },
  'the system message in the first user turn, as Gemma': {
    template:
      "{{ bos_token }}{% if messages[0].role == 'system' %}{% set first = messages[0].content + '\\n\\n' %}{% set rest = messages[1:] %}{% else %}{% set first = '' %}{% set rest = messages %}{% endif %}" +
      "{% for m in rest %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}" +
      "{% set role = 'model' if m.role == 'assistant' else m.role %}" +
      "{{ '<start_of_turn>' + role + '\\n' + (first if loop.first else '') + m.content | trim + '<end_of_turn>\\n' }}{% endfor %}" +
      generation("{{ '<start_of_turn>model\\n' }}"),
    end: '<end_of_turn>',
    system: 'role',
  },
  'roles in plain text and one token that begins a conversation and ends replies, as OLMo 2': {
    template:
      "{{ bos_token }}{% for m in messages %}{{ '<|' + m.role + '|>\\n' + m.content }}" +
      "{% if m.role == 'assistant' %}{{ eos_token }}{% endif %}" +
      "{% if not (loop.last and m.role == 'assistant') %}{{ '\\n' }}{% endif %}{% endfor %}" +
      generation("{{ '<|assistant|>\\n' }}"),
    begin: '<|endoftext|>',
    end: '<|endoftext|>',
    system: 'role',
  },
  'earlier reasoning dropped, as Qwen3': {
    template: dropsReasoning('false'),
    end: '<|im_end|>',
    system: 'role',
    refusal: /set rollout\.prompt\.thinking: none, rollout\.context\.turns: 1 or rollout\.maxTurns: 1/,
  },
  'earlier reasoning dropped unless a variable keeps it': {
    template: dropsReasoning('preserve_thinking is defined and preserve_thinking'),
    end: '<|im_end|>',
    system: 'role',
    refusal: /set rollout\.template\.variables\.preserve_thinking: true/,
  },
};
