/** @file Rewards as Harbor's verifier reads them (`verifier/verifier.py` of 0.26): `reward.json`, else `reward.txt`. */

export type Rewards = Readonly<Record<string, number>>;

/** Reads what tests have left. @returns why there is no reward, as text */
export function parseRewards(json: string | undefined, text: string | undefined): Rewards | string {
  if (json !== undefined) {
    let read: unknown;
    try {
      read = JSON.parse(json);
    } catch {
      return json === '' ? 'reward.json is empty' : 'reward.json is no JSON';
    }
    if (typeof read !== 'object' || read === null || Array.isArray(read))
      return 'reward.json is no object of numbers';
    // Python counts true as 1
    const entries = Object.entries(read).map(([name, value]) => [
      name,
      typeof value === 'boolean' ? Number(value) : value,
    ]);
    const wrong = entries.find(([, value]) => typeof value !== 'number' || !Number.isFinite(value));
    return wrong === undefined
      ? (Object.fromEntries(entries) as Rewards)
      : `reward.json: ${String(wrong[0])} is no finite number`;
  }
  if (text === undefined) return 'the tests wrote neither /logs/verifier/reward.json nor reward.txt';
  const trimmed = text.trim();
  if (trimmed === '') return 'reward.txt is empty';
  // no hexadecimal or binary digits, which JavaScript would take
  const value = /^[\d.e+-]+$/i.test(trimmed) ? Number(trimmed) : Number.NaN;
  return Number.isFinite(value) ? { reward: value } : 'reward.txt is no finite number';
}

/** The reward that a run learns from: the one with this name, or the only one. @returns why there is none, as text */
export function chooseReward(rewards: Rewards, name: string): number | string {
  const names = Object.keys(rewards);
  const chosen = rewards[name] ?? (names.length === 1 ? rewards[names[0]!] : undefined);
  return (
    chosen ??
    `the tests give ${names.length === 0 ? 'no reward' : `the rewards ${names.join(', ')}`}, and none is called ${name}; set \`reward\` to one of them`
  );
}
