<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Headroom\Support\InvalidConfig;

/**
 * Where a collector listens.
 *
 * @internal
 */
final readonly class ListenAddress
{
    private const ALLOWED = "'host:port', ':port', '[ipv6]:port' or 'unix:/path' of at most 100 bytes";

    /** What a sockaddr_un has room for. */
    private const LONGEST_PATH = 100;

    private function __construct(public string $uri, public ?string $path) {}

    /** @throws InvalidConfig */
    public static function of(string $text, string $key): self
    {
        if (preg_match('~\Aunix:(?://)?(/.+)\z~', $text, $m) === 1) {
            return strlen($m[1]) <= self::LONGEST_PATH
                ? new self("unix://{$m[1]}", $m[1])
                : throw InvalidConfig::notAllowed($key, $text, self::ALLOWED);
        }

        $isTcp = preg_match('/\A(?:tcp:\/\/)?(\[[0-9a-f:.]+\]|[a-z0-9.-]*):(\d{1,5})\z/i', $text, $m) === 1;

        if (! $isTcp || (int) $m[2] > 65_535) {
            throw InvalidConfig::notAllowed($key, $text, self::ALLOWED);
        }

        return new self('tcp://'.($m[1] === '' ? '0.0.0.0' : $m[1]).":{$m[2]}", null);
    }

    /** Reached by this machine only. */
    public function isPrivate(): bool
    {
        return $this->path !== null || preg_match('~\Atcp://(127\.|localhost:|\[::1\])~i', $this->uri) === 1;
    }

    public function isUnix(): bool
    {
        return $this->path !== null;
    }
}
