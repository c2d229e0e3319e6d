/**
 * @file Takes out of a resolved spec what followed from its other options, so that it follows again when these are
 * changed: the alpha of LoRA from its rank, the texts of a prompt from its preset and its way of thinking, the correction of
 * the sampler from its precision. A resolved
 * spec does not tell whether a value was written; one that equals what would follow counts as not written.
 */
import { type PromptChoice, resolvePrompt } from '@espalier/contracts/prompt-format';
import { forgetSamplerDefaults } from '@espalier/contracts/sampler-correction';
import { isRecord } from '@espalier/contracts/values';

/** Resolving the result without changes gives the same spec again. */
export function forgetDerived(spec: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { lora, rollout, update, device, engine } = spec;
  return {
    ...spec,
    ...(isRecord(update) && isRecord(update['samplerCorrection']) && isRecord(device)
      ? {
          update: {
            ...update,
            samplerCorrection: forgetSamplerDefaults({ update, device, engine } as never),
          },
        }
      : {}),
    ...(isRecord(lora) ? { lora: forgetAlpha(lora) } : {}),
    ...(isRecord(rollout) && isRecord(rollout['prompt'])
      ? { rollout: { ...rollout, prompt: forgetTexts(rollout['prompt']) } }
      : {}),
  };
}

function forgetAlpha({ alpha, ...lora }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return alpha === 2 * Number(lora['rank']) ? lora : { ...lora, alpha };
}

function forgetTexts(prompt: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { preset, thinking, thinkStyle } = prompt as PromptChoice;
  if (preset === undefined) return prompt;
  const derived: Readonly<Record<string, unknown>> = {
    ...resolvePrompt({
      preset,
      ...(thinking === undefined ? {} : { thinking }),
      ...(thinkStyle === undefined ? {} : { thinkStyle }),
    }),
    thinking: resolvePrompt({ preset }).thinking,
    thinkStyle: resolvePrompt({ preset }).thinkStyle,
  };
  return { ...without(prompt, derived), preset };
}

/** Leaves out what equals the same key of another object. */
function without(
  given: Readonly<Record<string, unknown>>,
  derived: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const other = derived[key];
    if (JSON.stringify(value) === JSON.stringify(other)) continue;
    kept[key] = isRecord(value) && isRecord(other) ? without(value, other) : value;
  }
  return kept;
}
