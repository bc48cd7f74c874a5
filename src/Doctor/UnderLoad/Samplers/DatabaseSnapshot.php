<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

/**
 * The counters and the state of the SQL server at one moment.
 *
 * @internal
 */
final readonly class DatabaseSnapshot
{
    /**
     * @param ?int $connections since it started; PostgreSQL counts them from version 14 on
     * @param ?int $statements since it started; for PostgreSQL the transactions
     * @param int $running statements under way, without the doctor's own
     * @param int $connected connected clients
     * @param int $lockWaits transactions that wait for another one's lock
     */
    public function __construct(
        public ?int $connections,
        public ?int $statements,
        public int $running,
        public int $connected,
        public int $lockWaits,
    ) {}
}
