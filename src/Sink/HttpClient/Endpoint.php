<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Core\Finding;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * The URL of a server. Messages show only scheme, host and port, because services put keys into user, path and query.
 *
 * @internal
 */
final readonly class Endpoint
{
    private const ALLOWED = 'an absolute URL of printable ASCII with http:// or https:// and a host,'
        .' such as https://crm.example.com/events';

    private function __construct(
        public string $url,
        public string $origin,
        public string $host,
        public bool $isEncrypted,
    ) {}

    /** @throws InvalidConfig without the value */
    public static function fromOptions(ConfigReader $options, string $name): self
    {
        $url = $options->string($name);
        $key = "{$options->path}.{$name}";

        // URL parsers disagree on whether a backslash is a slash, so they would see different hosts.
        if (preg_match('~\A[\x21-\x5B\x5D-\x7E]{1,8000}\z~', $url) !== 1) {
            throw InvalidConfig::notShown($key, self::ALLOWED);
        }

        $parts = parse_url($url);
        $scheme = strtolower($parts['scheme'] ?? '');
        $host = trim($parts['host'] ?? '', '[]');

        if (
            ! in_array($scheme, ['http', 'https'], true)
            || preg_match('/\A(?:[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]+)\z/', $host) !== 1
        ) {
            throw InvalidConfig::notShown($key, self::ALLOWED);
        }

        $origin = "{$scheme}://".(str_contains($host, ':') ? "[{$host}]" : $host);

        return new self(
            $url,
            isset($parts['port']) ? "{$origin}:{$parts['port']}" : $origin,
            $host,
            $scheme === 'https',
        );
    }

    /** The same server, at a path below the given URL. */
    public function at(string $path): self
    {
        return new self(rtrim($this->url, '/').$path, $this->origin, $this->host, $this->isEncrypted);
    }

    /** False if the URL has a query or a fragment: at() would append the path to it. */
    public function isBase(): bool
    {
        return strpbrk($this->url, '?#') === false;
    }

    /** Judged by the name in the URL; no DNS lookup is made. */
    public function isLoopback(): bool
    {
        return $this->host === 'localhost'
            || $this->host === '::1'
            || ($this->isAddress() && str_starts_with($this->host, '127.'));
    }

    /** @return list<Finding> found without sending a request */
    public function inspect(): array
    {
        $problems = [];

        if (! $this->isEncrypted && ! $this->isLoopback()) {
            $problems[] = new Finding(
                $this->origin,
                'Events, headers and keys travel unencrypted.',
                "Use https:// in its 'url'.",
                false,
            );
        }

        // A proxy may resolve a name that this machine cannot.
        if (
            ! $this->isAddress()
            && @gethostbynamel($this->host) === false
            && @dns_get_record($this->host, DNS_AAAA) === []
        ) {
            $problems[] = new Finding(
                $this->origin,
                "This machine cannot resolve the host '{$this->host}'.",
                "Correct the 'url', or this machine's DNS. Ignore this if a proxy resolves the name.",
                false,
            );
        }

        return $problems;
    }

    private function isAddress(): bool
    {
        return filter_var($this->host, FILTER_VALIDATE_IP) !== false;
    }
}
