<?php

declare(strict_types=1);

namespace Headroom\Load\Http;

use Closure;
use Headroom\Core\Clock;

/**
 * The addresses of hosts. A name is looked up when it is first needed, and again when nobody answers at its addresses.
 * Everybody waits meanwhile, as PHP knows no other way.
 *
 * @internal
 */
final class Names
{
    /** How long an answer, or that there was none, is not asked for again. */
    private const SPARED_NANOS = 1_000_000_000;

    /** @var array<string, non-empty-list<string>> by host */
    private array $addresses = [];

    /** @var array<string, int> when each host was looked up */
    private array $asked = [];

    /** @var array<string, UnableToExchange> why a host has no addresses */
    private array $failures = [];

    /** @var Closure(string): non-empty-list<string> */
    private readonly Closure $find;

    /** @param ?Closure(string): non-empty-list<string> $find looks a host up or throws UnableToExchange; null for as the system does */
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
        if (isset($this->addresses[$host])) {
            return $this->addresses[$host];
        }

        if (isset($this->failures[$host]) && $this->wasJustAsked($host)) {
            throw $this->failures[$host];
        }

        try {
            return $this->addresses[$host] = ($this->find)($host);
        } catch (UnableToExchange $e) {
            throw $this->failures[$host] = $e;
        } finally {
            // From its end on: one that takes long is not to be all that is done.
            $this->asked[$host] = $this->clock->monotonicNanos();
        }
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
        if (! $this->wasJustAsked($host)) {
            unset($this->addresses[$host]);
        }
    }

    private function wasJustAsked(string $host): bool
    {
        return $this->clock->monotonicNanos() - ($this->asked[$host] ?? 0) < self::SPARED_NANOS;
    }

    /** @return non-empty-list<string> */
    private static function find(string $host): array
    {
        if (filter_var($host, FILTER_VALIDATE_IP) !== false) {
            return [str_contains($host, ':') ? "[{$host}]" : $host];
        }

        // As RFC 6761 has it, whatever a resolver says.
        if (preg_match('/(?:\A|\.)localhost\z/i', $host) === 1) {
            return ['127.0.0.1', '[::1]'];
        }

        // A datagram socket is connected without a packet: it tells the address of either kind that the system would use first.
        $socket = @stream_socket_client("udp://{$host}:9", $errno, $reason, 1.0);

        if ($socket === false) {
            throw UnableToExchange::notResolved($host, self::reason((string) $reason));
        }

        $name = (string) stream_socket_get_name($socket, true);
        $others = gethostbynamel($host);

        return array_values(array_unique([substr($name, 0, (int) strrpos($name, ':')), ...($others === false ? [] : $others)]));
    }

    /** Of what PHP says only what the system says. */
    private static function reason(string $text): string
    {
        return preg_match('/failed: (.+)\z/s', $text, $m) === 1 ? $m[1] : $text;
    }
}
