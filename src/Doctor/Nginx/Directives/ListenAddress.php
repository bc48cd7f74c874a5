<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

/**
 * An address that a server listens at or is reached by.
 *
 * @internal
 */
final readonly class ListenAddress
{
    private const ANY = ['*', '0.0.0.0', '[::]'];

    private function __construct(public string $host, public int $port) {}

    /**
     * @param string $address host:port, host, port with an asterisk, [::1]:port, unix:/path
     * @param int $port where it names none
     */
    public static function at(string $address, int $port): ?self
    {
        if (str_starts_with($address, 'unix:')) {
            return new self($address, 0);
        }

        return preg_match('/\A(\[[0-9a-f:.]+\]|[^:\s]+)(?::(\d{1,5}))?\z/i', $address, $m) === 1
            ? new self(strtolower($m[1]), (int) ($m[2] ?? $port))
            : null;
    }

    /** Whether what is sent to another address arrives here, on one machine. */
    public function takes(self $target): bool
    {
        if ($this->isUnix() || $target->isUnix()) {
            return $this->host === $target->host;
        }

        return $this->port === $target->port
            && (
                $this->host === $target->host || (
                    $target->isHere() && ($this->isHere() || in_array($this->host, self::ANY, true))
                )
            );
    }

    public function isUnix(): bool
    {
        return str_starts_with($this->host, 'unix:');
    }

    /** On this machine for sure. */
    public function isHere(): bool
    {
        return $this->isUnix() || preg_match('/\A(?:127\.[\d.]+|localhost|\[::1\])\z/', $this->host) === 1;
    }

    public function text(): string
    {
        return $this->isUnix() ? $this->host : "{$this->host}:{$this->port}";
    }
}
