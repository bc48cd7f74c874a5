<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Closure;
use Headroom\Core\Clock;
use Headroom\Load\Target;

/**
 * The addresses of hosts. A name is resolved when it is first needed, and again when no server answers at its addresses.
 * The lookup blocks all connections, because PHP has no asynchronous resolver.
 *
 * @internal
 */
final class HostResolver
{
    /** How long a result, or a failure, is kept at least. */
    private const CACHE_NANOS = 1_000_000_000;

    /** Multiple of the duration of a lookup that its result is kept, so that slow lookups take little of a run. */
    private const CACHE_FACTOR = 10;

    /** @var array<string, non-empty-list<string>> by host */
    private array $addresses = [];

    /** @var array<string, UnableToExchange> why a host has no addresses */
    private array $failures = [];

    /** @var array<string, true> hosts whose addresses do not answer */
    private array $doubted = [];

    /** @var array<string, int> by host, when it may be resolved again */
    private array $again = [];

    /** @var Closure(string): non-empty-list<string> */
    private readonly Closure $find;

    /**
     * @param ?Closure(string): non-empty-list<string> $find resolves a host or throws UnableToExchange; null for the
     *     resolver of the system
     */
    public function __construct(private readonly Clock $clock, ?Closure $find = null)
    {
        $this->find = $find ?? self::find(...);
    }

    /**
     * @return non-empty-list<string> IP addresses in the order of the attempts, IPv6 in brackets
     *
     * @throws UnableToExchange
     */
    public function addresses(string $host): array
    {
        $known = $this->addresses[$host] ?? null;
        $began = $this->clock->monotonicNanos();

        if (($known !== null && ! isset($this->doubted[$host])) || $began < ($this->again[$host] ?? 0)) {
            return $known ?? throw $this->failures[$host];
        }

        try {
            $this->addresses[$host] = ($this->find)($host);
        } catch (UnableToExchange $e) {
            $this->failures[$host] = $e;
        }

        unset($this->doubted[$host]);
        $ended = $this->clock->monotonicNanos();
        $this->again[$host] = $ended + max(self::CACHE_NANOS, self::CACHE_FACTOR * ($ended - $began));

        // After a failed lookup the old addresses stay in use.
        return $this->addresses[$host] ?? throw $this->failures[$host];
    }

    /** A server answers there: this address is tried first from now on. */
    public function prefer(string $host, string $address): void
    {
        $known = $this->addresses[$host] ?? [];

        if ($known !== [] && $known[0] !== $address) {
            $this->addresses[$host] = [$address, ...array_values(array_diff($known, [$address]))];
        }
    }

    /** The connection attempt timed out: this address is tried last from now on. */
    public function avoid(string $host, string $address): void
    {
        $known = $this->addresses[$host] ?? [];

        if (count($known) > 1 && $known[0] === $address) {
            $this->addresses[$host] = [...array_slice($known, 1), $address];
        }
    }

    /** No address answers: the host is resolved again. */
    public function doubt(string $host): void
    {
        $this->doubted[$host] = true;
    }

    /** @return non-empty-list<string> */
    private static function find(string $host): array
    {
        if (filter_var($host, FILTER_VALIDATE_IP) !== false) {
            return [str_contains($host, ':') ? "[{$host}]" : $host];
        }

        // RFC 6761: localhost is loopback, without a resolver.
        if (Target::isLocalhost($host)) {
            return ['127.0.0.1', '[::1]'];
        }

        // Connecting a datagram socket sends no packet; its peer is the address, IPv4 or IPv6, that the system prefers.
        $socket = @stream_socket_client("udp://{$host}:9", $errno, $reason, 1.0);

        if ($socket === false && $errno === 0) {
            throw UnableToExchange::notResolved($host, self::reason((string) $reason));
        }

        // A known address may be unreachable, which the connection attempt reports.
        $name = $socket === false ? '' : (string) stream_socket_get_name($socket, true);
        $others = gethostbynamel($host);
        $addresses = array_values(array_unique([
            ...($name === '' ? [] : [substr($name, 0, (int) strrpos($name, ':'))]),
            ...($others === false ? [] : $others),
        ]));

        return $addresses === []
            ? throw UnableToExchange::notConnected($host, (int) $errno, (string) $reason)
            : $addresses;
    }

    /** The system's part of PHP's message. */
    private static function reason(string $text): string
    {
        return preg_match('/failed: (.+)\z/s', $text, $m) === 1 ? $m[1] : $text;
    }
}
