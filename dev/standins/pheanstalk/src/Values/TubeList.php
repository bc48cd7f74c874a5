<?php

declare(strict_types=1);

namespace Pheanstalk\Values;

use ArrayIterator;
use IteratorAggregate;
use Traversable;

/**
 * @implements IteratorAggregate<int, TubeName>
 */
final class TubeList implements IteratorAggregate
{
    /** @var list<TubeName> */
    private readonly array $tubes;

    public function __construct(TubeName ...$tubes)
    {
        $this->tubes = array_values($tubes);
    }

    /** @return Traversable<int, TubeName> */
    public function getIterator(): Traversable
    {
        return new ArrayIterator($this->tubes);
    }
}
