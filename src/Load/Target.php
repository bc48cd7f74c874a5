<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * An HTTP address, checked.
 */
final readonly class Target
{
    // The port is left to curl; a fragment is never sent.
    private const URL = '~\Ahttps?://(?<host>\[[0-9a-f:.]+\]|[^\x00-\x20\x7f/?#@:\[\]]+)(?::\d{1,5})?(?<path>[/?][^\x00-\x20\x7f#]*)?\z~i';

    /**
     * @param non-empty-string $url
     * @param string $host without the brackets of an IPv6 address
     * @param string $path as it stands in the request line
     */
    private function __construct(public string $url, public string $host, public string $path) {}

    /** @throws InvalidPlan */
    public static function fromUrl(string $url): self
    {
        if ($url === '' || preg_match(self::URL, $url, $m) !== 1) {
            throw InvalidPlan::option('url', $url, "an address like http://127.0.0.1:8000/path (http or https, no user name, no fragment, no spaces; write a space as '%20')");
        }

        $path = $m['path'] ?? '';

        return new self($url, trim($m['host'], '[]'), str_starts_with($path, '/') ? $path : "/{$path}");
    }

    /** By its name alone: libcurl itself resolves localhost and *.localhost to loopback addresses. */
    public function isLoopback(): bool
    {
        $host = strtolower($this->host);

        return $host === 'localhost'
            || str_ends_with($host, '.localhost')
            || $host === '::1'
            || preg_match('/\A127(\.\d{1,3}){3}\z/', $host) === 1;
    }
}
