<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

/**
 * Break points that belong together. All positions are indexes of tokens.
 *
 * @internal
 */
final readonly class Group
{
    /**
     * @param list<int> $breaks tokens that a line may start with, without the closing bracket
     * @param bool $takesComma whether a comma may follow the last item
     * @param ?int $brace the brace of a function whose parameters these are; it moves up behind the closing bracket
     * @param bool $packs whether all items may share the one line between the brackets
     * @param bool $fills whether they may share several lines
     * @param int $sameStart how many groups of operators around this one begin with the same token
     */
    public function __construct(
        public GroupKind $kind,
        public int $start,
        public int $end,
        public array $breaks,
        public bool $takesComma = false,
        public ?int $brace = null,
        public bool $packs = false,
        public bool $fills = false,
        public ?Hug $hug = null,
        public int $sameStart = 0,
    ) {}

    public function contains(self $other): bool
    {
        return $this !== $other && $this->start <= $other->start && $this->end >= $other->end;
    }

    public function lastBreak(): int
    {
        return $this->breaks[count($this->breaks) - 1];
    }

    public function isSingle(): bool
    {
        return count($this->breaks) === 1;
    }
}
