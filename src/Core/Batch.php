<?php

declare(strict_types=1);

namespace Headroom\Core;

use ArrayIterator;
use Countable;
use IteratorAggregate;
use Traversable;

/**
 * Records in the order of the log.
 *
 * @implements IteratorAggregate<int, Record>
 */
final readonly class Batch implements Countable, IteratorAggregate
{
    /** @param list<Record> $records */
    public function __construct(public array $records) {}

    public function count(): int
    {
        return count($this->records);
    }

    public function getIterator(): Traversable
    {
        return new ArrayIterator($this->records);
    }
}
