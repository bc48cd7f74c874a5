<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * One bucket's intake. The same promises as Buffer.
 */
interface Bucket
{
    /**
     * @param array<array-key, mixed> $row by column name
     *
     * @throws InvalidEvent
     * @throws UnableToAppend
     */
    public function add(array $row): void;

    /**
     * One write, all or nothing. No rows, no write.
     *
     * @param iterable<array<array-key, mixed>> $rows
     *
     * @throws InvalidEvent more than 65,535 events, more than 8 MiB in all, or a row that can not be carried
     * @throws UnableToAppend
     */
    public function addMany(iterable $rows): void;
}
