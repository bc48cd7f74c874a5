<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Closure;
use Headroom\Core\Clock;
use Headroom\Load\Target;

/**
 * The addresses of hosts. A name is looked up when it is first needed, and again when nobody answers at its addresses.
 * Everybody waits meanwhile, as PHP knows no other way.
 *
 * @internal
 */
final class HostResolver
{
    /** How long an answer, or that there was none, is not asked for again. */
    private const SPARED_NANOS = 1_000_000_000;

    /** So many times as long as it took to get it: those who wait are to have most of the time. */
    private const SPARED_TIMES = 10;

    /** @var array<string, non-empty-list<string>> by host */
    private array $addresses = [];

    /** @var array<string, UnableToExchange> why a host has no addresses */
    private array $failures = [];

    /** @var array<string, true> hosts at whose addresses nobody answers */
    private array $doubted = [];

    /** @var array<string, int> when each host may be looked up again */
    private array $again = [];

    /** @var Closure(string): non-empty-list<string> */
    private readonly Closure $find;

    /**
     * @param ?Closure(string): non-empty-list<string> $find looks a host up or throws UnableToExchange;
     *     null for as the system does
     */
    public function __construct(private readonly Clock $clock, ?Closure $find = null)
    {
        $this->find = $find ?? self::find(...);
    }

    /**
     * @return non-empty-list<string> IP addresses in the order in which they are to be tried, IPv6 in brackets
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
        $this->again[$host] = $ended + max(self::SPARED_NANOS, self::SPARED_TIMES * ($ended - $began));

        // What was known before is better than nothing.
        return $this->addresses[$host] ?? throw $this->failures[$host];
    }

    /** Somebody answers there: it is tried first from now on. */
    public function prefer(string $host, string $address): void
    {
        $known = $this->addresses[$host] ?? [];

        if ($known !== [] && $known[0] !== $address) {
            $this->addresses[$host] = [$address, ...array_values(array_diff($known, [$address]))];
        }
    }

    /** Whoever is there says nothing: it is tried last from now on. */
    public function avoid(string $host, string $address): void
    {
        $known = $this->addresses[$host] ?? [];

        if (count($known) > 1 && $known[0] === $address) {
            $this->addresses[$host] = [...array_slice($known, 1), $address];
        }
    }

    /** Nobody answers at any of them. */
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

        // As RFC 6761 has it, whatever a resolver says.
        if (Target::isLocalhost($host)) {
            return ['127.0.0.1', '[::1]'];
        }

        // A datagram socket is connected without a packet: it tells the address of either kind that
        // the system would use first.
        $socket = @stream_socket_client("udp://{$host}:9", $errno, $reason, 1.0);

        if ($socket === false && $errno === 0) {
            throw UnableToExchange::notResolved($host, self::reason((string) $reason));
        }

        // It is known, and perhaps no way leads there: that is told by who tries.
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

    /** Of what PHP says only what the system says. */
    private static function reason(string $text): string
    {
        return preg_match('/failed: (.+)\z/s', $text, $m) === 1 ? $m[1] : $text;
    }
}
