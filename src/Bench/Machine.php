<?php

declare(strict_types=1);

namespace Headroom\Bench;

use Headroom\Core\Clock;

/**
 * The machine that figures come from. They mean little without it.
 *
 * @internal
 */
final readonly class Machine
{
    /** Settings that change the cost of PHP code. */
    private const INI = [
        'opcache.enable', 'opcache.enable_cli', 'opcache.jit', 'opcache.validate_timestamps', 'memory_limit',
        'realpath_cache_size', 'xdebug.mode',
    ];

    /**
     * @param string $commit of the code that was measured
     * @return array<string, mixed>
     */
    public static function describe(string $commit, Clock $clock): array
    {
        return [
            'cpu' => self::cpu(),
            'cores' => self::cores(),
            'memory_mb' => self::memoryMegabytes(),
            'kernel' => php_uname('s').' '.php_uname('r'),
            'php' => PHP_VERSION.' '.PHP_SAPI.(PHP_ZTS === 1 ? ' ZTS' : ' NTS'),
            'ini' => array_filter(array_combine(self::INI, array_map(ini_get(...), self::INI)), is_string(...)),
            'commit' => $commit,
            'date' => $clock->now()->format('Y-m-d\TH:i:s\Z'),
        ];
    }

    private static function cpu(): string
    {
        return preg_match('/^model name\s*:\s*(.+)$/m', (string) @file_get_contents('/proc/cpuinfo'), $m) === 1
            ? $m[1]
            : php_uname('m');
    }

    private static function cores(): int
    {
        return max(1, (int) preg_match_all('/^processor\s*:/m', (string) @file_get_contents('/proc/cpuinfo')));
    }

    private static function memoryMegabytes(): int
    {
        return preg_match('/^MemTotal:\s+(\d+) kB/m', (string) @file_get_contents('/proc/meminfo'), $m) === 1
            ? intdiv((int) $m[1], 1024)
            : 0;
    }
}
