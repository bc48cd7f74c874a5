// Minutes of buckets as points of lines.

const MINUTE = 60;

/** The sum of a member over all buckets; null where no bucket was observed. */
function summed(answer, member) {
    const all = Object.values(answer.buckets).map((bucket) => bucket[member] ?? []);

    return Array.from({ length: Math.max(0, ...all.map(({ length }) => length)) }, (_, at) => all.reduce((sum, { [at]: value = null }) => (value === null ? sum : (sum ?? 0) + value), null));
}

/** The largest value of a member in all buckets. */
function largest(answer, member) {
    const all = Object.values(answer.buckets).map((bucket) => bucket[member] ?? []);

    return Array.from({ length: Math.max(0, ...all.map(({ length }) => length)) }, (_, at) => all.reduce((most, { [at]: value = null }) => (value === null ? most : Math.max(most ?? 0, value)), null));
}

function points(answer, figures, before) {
    const step = answer.step ?? 1;

    return figures.map((value, at) => [(answer.from + at * step) * MINUTE, value])
        // A clock that was set back leaves minutes that are ahead of it.
        .filter(([start]) => start + step * MINUTE <= before)
        .map(([start, value]) => [start + (step * MINUTE) / 2, value]);
}

/** Events a second. A minute that is not over has too few, so the current rate stands in for it. */
export function rates(answer, member, at, current) {
    const length = (answer.step ?? 1) * MINUTE;

    return [...points(answer, summed(answer, member), at).map(([x, value]) => [x, value === null ? null : value / length]), ...tail(at, current)];
}

export const gauges = (answer, member, at, current) => [...points(answer, summed(answer, member), at), ...tail(at, current)];

export const extremes = (answer, member, at, current) => [...points(answer, largest(answer, member), at), ...tail(at, current)];

const tail = (at, current) => (current === undefined || current === null ? [] : [[at, current]]);
