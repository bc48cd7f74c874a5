// How src/Report/Page/Unit.php writes a number, for the axes: without digits that say nothing there.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const three = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const significant = (value) => (Math.abs(value) >= 1000 ? whole : three).format(value);

/** Of the largest unit in which it is at least 1. */
function scaled(value, steps) {
    const [size, name] = steps.find(([least]) => Math.abs(value) >= least * 0.9995) ?? steps.at(-1);

    return `${significant(value / size)} ${name}`;
}

const time = (micros) => (micros === 0 ? '0' : scaled(micros, [[1e6, 's'], [1e3, 'ms'], [1, 'us']]));
const bytes = (value) => (value === 0 ? '0' : scaled(value, [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']]));

const UNITS = {
    per_second: (value) => (value === 0 ? '0' : `${significant(value)}/s`),
    millis: (value) => time(value * 1000),
    micros: time,
    seconds: (value) => `${significant(value)} s`,
    share: (value) => `${significant(value * 100)} %`,
    percent: (value) => `${significant(value)} %`,
    change: (value) => `${value > 0 ? '+' : ''}${significant(value)} %`,
    bytes,
    count: significant,
    times: (value) => `${significant(value)}x`,
};

/** @returns {(value: number) => string} */
export const unit = (name) => UNITS[name];
/** What is counted has no halves. */
export const interval = (name, values) => (name === 'count' && values.every((value) => Number.isInteger(value ?? 0)) ? { minInterval: 1 } : {});
