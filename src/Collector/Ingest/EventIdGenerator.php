<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Closure;

use function bin2hex;
use function dechex;
use function hash;
use function hexdec;
use function intdiv;
use function sprintf;
use function str_pad;
use function strlen;
use function substr;

/**
 * Generates ids for the events of one request. It keeps nothing between requests, so that processes cannot continue
 * with the same random bytes after a fork.
 *
 * @internal
 */
final class EventIdGenerator
{
    private const AT_ONCE = 64;

    private const RANDOM_HEX = 16;

    private string $random = '';

    private int $used = 0;

    private readonly string $prefix;

    /**
     * @param int $now microseconds since the Unix epoch
     * @param ?string $seed of a request that a client may retry: the same seed gives the same ids
     * @param Closure(int<1, max>): string $randomBytes
     */
    public function __construct(
        private readonly int $now,
        private readonly ?string $seed,
        private readonly Closure $randomBytes,
    ) {
        // RFC 9562, 5.7 and 6.2, method 3: the bits after the milliseconds are the fraction of a
        // millisecond in 4,096ths.
        $millis = str_pad(dechex(intdiv($now, 1000)), 12, '0', STR_PAD_LEFT);
        $this->prefix = substr($millis, 0, 8).'-'.substr($millis, 8, 4).'-7'
            .sprintf('%03x', intdiv($now % 1000 * 4096, 1000)).'-';
    }

    /** A UUIDv7, or with a seed a UUIDv8 of the seed and the index of the event. */
    public function generate(int $index): string
    {
        if ($this->seed !== null) {
            return self::uuid8(hash('sha256', "{$this->seed}\0{$index}"));
        }

        if ($this->used === strlen($this->random)) {
            // A request with one event needs one id; others get many in one call.
            $this->random = bin2hex(
                ($this->randomBytes)(self::RANDOM_HEX / 2 * ($this->random === '' && $index === 0 ? 1 : self::AT_ONCE)),
            );
            $this->used = 0;
        }

        $hex = substr($this->random, $this->used, self::RANDOM_HEX);
        $this->used += self::RANDOM_HEX;

        return $this->prefix.self::variant($hex[0]).substr($hex, 1, 3).'-'.substr($hex, 4);
    }

    private static function uuid8(string $hash): string
    {
        return substr($hash, 0, 8).'-'.substr($hash, 8, 4).'-8'.substr($hash, 13, 3).'-'.self::variant($hash[16])
            .substr($hash, 17, 3).'-'.substr($hash, 20, 12);
    }

    /** The two highest bits are 1 and 0. */
    private static function variant(string $hex): string
    {
        return '89ab'[(int) hexdec($hex) & 3];
    }
}
