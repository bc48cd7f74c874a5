// Addresses of views, as fragments, so that they work below every path: #/dead/api-events?kind=1f

const decoded = (text) => {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
};

/** @returns {{view: string, bucket: ?string, query: URLSearchParams}} */
export function route(hash = location.hash) {
    const [path, query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
    const [view, ...rest] = path.split('/');

    return { view: view || 'now', bucket: rest.length > 0 && rest.join('/') !== '' ? decoded(rest.join('/')) : null, query: new URLSearchParams(query) };
}

/** @param {Record<string, string|number|null>} query empty values are left out */
export function address(view, bucket = null, query = {}) {
    const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== null && value !== ''));
    const path = view === 'now' ? '#/' : `#/${view}${bucket === null ? '' : `/${encodeURIComponent(bucket)}`}`;

    return parameters.size > 0 ? `${path}?${parameters}` : path;
}

/** Changes the address of the view that is open, without a new entry in the history. */
export function readdress(view, bucket, query) {
    history.replaceState(null, '', address(view, bucket, query));
}
