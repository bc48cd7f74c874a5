<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Headroom\Support\InvalidConfig;

/**
 * Address of a listening socket.
 *
 * @internal
 */
final readonly class ListenAddress
{
    private const ALLOWED = "'host:port', ':port', '[ipv6]:port' or 'unix:/path' of at most 100 bytes";

    /** Size limit of a path in sockaddr_un. */
    private const MAX_PATH_BYTES = 100;

    private function __construct(public string $uri, public ?string $path) {}

    /** @throws InvalidConfig */
    public static function of(string $text, string $key): self
    {
        if (preg_match('~\Aunix:(?://)?(/.+)\z~', $text, $m) === 1) {
            return strlen($m[1]) <= self::MAX_PATH_BYTES
                ? new self("unix://{$m[1]}", $m[1])
                : throw InvalidConfig::notAllowed($key, $text, self::ALLOWED);
        }

        $isTcp = preg_match('/\A(?:tcp:\/\/)?(\[[0-9a-f:.]+\]|[a-z0-9.-]*):(\d{1,5})\z/i', $text, $m) === 1;

        if (! $isTcp || (int) $m[2] > 65_535) {
            throw InvalidConfig::notAllowed($key, $text, self::ALLOWED);
        }

        return new self('tcp://'.($m[1] === '' ? '0.0.0.0' : $m[1]).":{$m[2]}", null);
    }

    /** Only this machine can reach it. */
    public function isPrivate(): bool
    {
        return $this->path !== null || preg_match('~\Atcp://(127\.|localhost:|\[::1\])~i', $this->uri) === 1;
    }

    public function isUnix(): bool
    {
        return $this->path !== null;
    }
}
