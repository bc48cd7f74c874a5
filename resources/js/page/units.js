// Writes a value as src/Report/Page/Unit.php does. Axes have shorter numbers, because their places are round.

const decimals = [0, 1, 2, 3].map((digits) => new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }));
const upToThree = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });
const three = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const short = (value) => (Math.abs(value) >= 1000 ? decimals[0] : three).format(value);

/** Three digits, or all digits before the point if they are more. The value is not negative. */
export function significant(value) {
    if (value > 0 && value < 0.0005) {
        return '< 0.001';
    }

    return decimals[value >= 99.95 || value === 0 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3].format(value);
}

function percent(value) {
    return `${value === 0 ? '0' : value < 0.1 ? significant(value) : decimals[value < 99.95 ? 1 : 0].format(value)} %`;
}

function time(micros) {
    return micros === 0 ? '0 ms' : micros < 999.5 ? `${significant(micros)} µs` : micros < 999_500 ? `${significant(micros / 1e3)} ms` : `${significant(micros / 1e6)} s`;
}

function bytes(value) {
    const whole = Math.round(value);
    const at = [999.5, 999.5e3, 999.5e6, 999.5e9].filter((least) => whole >= least).length;

    return `${at === 0 ? whole : significant(whole / 1000 ** at)} ${['B', 'kB', 'MB', 'GB', 'TB'][at]}`;
}

const VALUES = {
    per_second: (value) => `${significant(value)}/s`,
    millis: (value) => time(value * 1000),
    micros: time,
    seconds: (value) => `${significant(value)} s`,
    share: (value) => percent(value * 100),
    percent,
    change: percent,
    bytes,
    count: (value) => (Number.isInteger(value) ? decimals[0] : { format: significant }).format(value),
    times: (value) => `${significant(value)}x`,
};

/** In the largest unit in which the value is at least 1. */
function scaled(value, steps) {
    const [size, name] = steps.find(([least]) => Math.abs(value) >= least * 0.9995) ?? steps.at(-1);

    return `${short(value / size)} ${name}`;
}

const shortTime = (micros) => (micros === 0 ? '0' : scaled(micros, [[1e6, 's'], [1e3, 'ms'], [1, 'µs']]));

const AXES = {
    per_second: (value) => (value === 0 ? '0' : `${short(value)}/s`),
    millis: (value) => shortTime(value * 1000),
    micros: shortTime,
    seconds: (value) => `${short(value)} s`,
    share: (value) => `${short(value * 100)} %`,
    percent: (value) => `${short(value)} %`,
    change: (value) => `${value > 0 ? '+' : ''}${short(value)} %`,
    bytes: (value) => (value === 0 ? '0' : scaled(value, [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']])),
    count: short,
    times: (value) => `${short(value)}x`,
};

/** A value as in the table of numbers. @returns {(value: number) => string} */
export const unit = (name) => (value) => (value < 0 ? '-' : name === 'change' && value > 0 ? '+' : '') + VALUES[name](Math.abs(value));
/** A place on an axis, with the digits that tell 100.5 s from 101 s. @returns {(value: number) => string} */
export const place = (name) => ({ seconds: (value) => `${upToThree.format(value)} s`, count: upToThree.format })[name] ?? unit(name);
/** @returns {(value: number) => string} */
export const axis = (name) => AXES[name];
/** An axis of a count has no labels such as 0.5. */
export const interval = (name, values) => (name === 'count' && values.every((value) => Number.isInteger(value ?? 0)) ? { minInterval: 1 } : {});
