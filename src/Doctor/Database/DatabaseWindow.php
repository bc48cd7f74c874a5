<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;

/**
 * The activity of the SQL server during the observation, and its distance.
 *
 * @internal
 */
final readonly class DatabaseWindow
{
    /**
     * @param float $seconds of the window
     * @param float $roundTrip seconds of a `select 1` on an open connection, the shortest of several
     * @param float $connect seconds to open a connection with the settings of the application, the shortest of several
     * @param array<string, float> $rises of counters, by name in lower case, without the doctor's own queries
     * @param ?int $requests that PHP-FPM of this machine accepted in that time; null if unknown
     * @param int $looks at who waits for rows
     * @param array<string, RowLockWait> $waits by table
     * @param ?FactUnavailable $waitsUnseen the reason why lock waits are unknown
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
            '`select 1` on an open connection',
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
