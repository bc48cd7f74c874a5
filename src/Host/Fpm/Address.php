<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

/**
 * The address at which a pool listens.
 *
 * @internal
 */
final readonly class Address
{
    /** @param ?int $port null for a unix socket, whose path is the host */
    private function __construct(public string $host, public ?int $port) {}

    /**
     * As FPM's `listen` and nginx's `fastcgi_pass` spell it: /run/php.sock, unix:/run/php.sock, 127.0.0.1:9000,
     * [::1]:9000, 9000.
     *
     * @throws UnableToQueryPool
     */
    public static function parse(string $text): self
    {
        $path = str_starts_with($text, 'unix:') ? substr($text, 5) : $text;

        if (str_starts_with($path, '/') && ! str_contains($path, "\0")) {
            return new self($path, null);
        }

        $matches = preg_match('/\A(?:(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.*-]+):)?(\d{1,5})\z/', $text, $m) === 1;

        return $matches && (int) $m[2] >= 1 && (int) $m[2] <= 65_535
            ? new self(self::reachable($m[1]), (int) $m[2])
            : throw UnableToQueryPool::noAddress($text);
    }

    public function isUnix(): bool
    {
        return $this->port === null;
    }

    /** The address in the form that stream_socket_client() takes. */
    public function target(): string
    {
        return $this->port === null ? "unix://{$this->host}" : "tcp://{$this->host}:{$this->port}";
    }

    public function text(): string
    {
        return $this->port === null ? $this->host : "{$this->host}:{$this->port}";
    }

    public function isLoopback(): bool
    {
        return preg_match('/\A(?:127\.[\d.]+|localhost|\[::1\])\z/i', $this->host) === 1;
    }

    /** Compares sockets through links to their paths; localhost stands for both loopback addresses. */
    public function isSameAs(self $other): bool
    {
        if ($this->isUnix() || $other->isUnix()) {
            $here = realpath($this->host);

            return $this->isUnix() && $other->isUnix()
                && ($this->host === $other->host || ($here !== false && $here === realpath($other->host)));
        }

        $isByName = strcasecmp($this->host, 'localhost') === 0 || strcasecmp($other->host, 'localhost') === 0;

        return $this->port === $other->port
            && ($this->host === $other->host || ($isByName && $this->isLoopback() && $other->isLoopback()));
    }

    /** A pool that listens on all addresses is reached through the loopback address. */
    private static function reachable(string $host): string
    {
        return match ($host) {
            '', '*', '0.0.0.0' => '127.0.0.1',
            '[::]' => '[::1]',
            default => $host,
        };
    }
}
