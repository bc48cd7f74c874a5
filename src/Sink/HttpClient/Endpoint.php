<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Core\Finding;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * Where requests go. Messages show scheme, host and port only: user, path and query are where services put their keys.
 *
 * @internal
 */
final readonly class Endpoint
{
    private const ALLOWED = 'an absolute URL of printable ASCII with http:// or https:// and a host, such as https://crm.example.com/events';

    private function __construct(public string $url, public string $shown, public string $host, public bool $isEncrypted) {}

    /** @throws InvalidConfig without the value */
    public static function fromOptions(ConfigReader $options, string $name): self
    {
        $url = $options->string($name);
        $key = "{$options->path}.{$name}";

        // A backslash is a slash for some and not for others, who would see another host.
        if (preg_match('~\A[\x21-\x5B\x5D-\x7E]{1,8000}\z~', $url) !== 1) {
            throw InvalidConfig::notShown($key, self::ALLOWED);
        }

        $parts = parse_url($url);
        $scheme = strtolower($parts['scheme'] ?? '');
        $host = trim($parts['host'] ?? '', '[]');

        if (! in_array($scheme, ['http', 'https'], true) || preg_match('/\A(?:[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]+)\z/', $host) !== 1) {
            throw InvalidConfig::notShown($key, self::ALLOWED);
        }

        $shown = "{$scheme}://".(str_contains($host, ':') ? "[{$host}]" : $host);

        return new self($url, isset($parts['port']) ? "{$shown}:{$parts['port']}" : $shown, $host, $scheme === 'https');
    }

    /** The same server, at a path below the one that was given. */
    public function at(string $path): self
    {
        return new self(rtrim($this->url, '/').$path, $this->shown, $this->host, $this->isEncrypted);
    }

    /** What at() can be asked of: a path behind a query would be a part of it. */
    public function isBase(): bool
    {
        return strpbrk($this->url, '?#') === false;
    }

    /** By what it is called. */
    public function isLoopback(): bool
    {
        return $this->host === 'localhost' || $this->host === '::1' || ($this->isAddress() && str_starts_with($this->host, '127.'));
    }

    /** @return list<Finding> what can be seen without sending anything */
    public function inspect(): array
    {
        $problems = [];

        if (! $this->isEncrypted && ! $this->isLoopback()) {
            $problems[] = new Finding($this->shown, 'Events, headers and keys travel unencrypted.', "Use https:// in its 'url'.", false);
        }

        // A proxy may know the name all the same.
        if (! $this->isAddress() && @gethostbynamel($this->host) === false && @dns_get_record($this->host, DNS_AAAA) === []) {
            $problems[] = new Finding($this->shown, "Its host '{$this->host}' can not be found from here.", "Correct its 'url', or this machine's DNS. Behind a proxy that looks it up itself all is well.", false);
        }

        return $problems;
    }

    private function isAddress(): bool
    {
        return filter_var($this->host, FILTER_VALIDATE_IP) !== false;
    }
}
