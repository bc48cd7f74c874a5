<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

/**
 * What the SQL server has counted, and does, at one moment.
 *
 * @internal
 */
final readonly class DatabaseSnapshot
{
    /**
     * @param ?int $connections since it started; PostgreSQL counts them from version 14 on
     * @param ?int $statements since it started; of PostgreSQL transactions
     * @param int $running statements under way, without the doctor's own
     * @param int $connected clients that are there
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
