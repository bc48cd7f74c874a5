<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;

/**
 * What the SQL server did while the doctor looked, and how far away it is.
 *
 * @internal
 */
final readonly class DatabaseWindow
{
    /**
     * @param float $seconds of the window
     * @param float $roundTrip seconds of a `select 1` over a connection that is there, the shortest of some
     * @param float $connect seconds to make a connection as the application does, the shortest of some
     * @param array<string, float> $rises of counters, by name in small letters, what the doctor asked itself left out
     * @param ?int $requests that PHP-FPM of this machine took meanwhile; null: not known
     * @param int $looks at who waits for rows
     * @param array<string, RowLockWait> $waits by table
     * @param ?FactUnavailable $waitsUnseen why the rows that transactions wait for are not known
     */
    public function __construct(
        public float $seconds,
        public float $roundTrip,
        public float $connect,
        private array $rises = [],
        private ?int $requests = null,
        public int $looks = 0,
        public array $waits = [],
        public ?FactUnavailable $waitsUnseen = null,
    ) {}

    /** @throws FactUnavailable */
    public function rise(string $counter): float
    {
        return $this->rises[$counter]
            ?? throw FactUnavailable::because("The server does not count {$counter}.", 'artisan db:show');
    }

    /** @throws FactUnavailable */
    public function requests(): int
    {
        return $this->requests ?? throw FactUnavailable::because(
            'How many requests PHP-FPM took meanwhile is not known: its pools need pm.status_path.',
            'sudo grep -r pm.status_path /etc/php',
        );
    }

    /** @throws FactUnavailable */
    public function shown(string $counter): Evidence
    {
        return new Evidence(
            $counter,
            sprintf('+%.0f in %.1f s', $this->rise($counter), $this->seconds),
            'the counters of the server, twice',
        );
    }

    public function trip(): Evidence
    {
        return new Evidence(
            'round trip',
            sprintf('%.2f ms', 1e3 * $this->roundTrip),
            '`select 1` over a connection that is there',
        );
    }

    public function connecting(): Evidence
    {
        return new Evidence(
            'making a connection',
            sprintf('%.2f ms', 1e3 * $this->connect),
            'the same connection, opened again',
        );
    }
}
