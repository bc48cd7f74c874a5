<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Profile;

use Headroom\Doctor\Evidence;

/**
 * A function that was on the stack when the CPU clock of its process ticked.
 *
 * @internal
 */
final readonly class HotFunction
{
    /**
     * @param int $line with most of its own samples
     * @param float $self share of the samples in the function itself
     * @param float $inclusive share of the samples in the function or its calls
     */
    public function __construct(
        public string $name,
        public string $file,
        public int $line,
        public float $self,
        public float $inclusive,
    ) {}

    public static function hotterFirst(self $a, self $b): int
    {
        return [$b->self, $b->inclusive, $a->name] <=> [$a->self, $a->inclusive, $b->name];
    }

    public function place(): string
    {
        return "{$this->file}:{$this->line}";
    }

    /** "takes 71 % of the CPU time of PHP", or the share of the function itself if that is most of it. */
    public function takes(): string
    {
        $isItself = 2 * $this->self >= $this->inclusive;
        $share = 100 * ($isItself ? $this->self : $this->inclusive);

        $what = $isItself ? $this->name : "{$this->name}, with what it calls,";

        return sprintf('%s takes %.0f %% of the CPU time of PHP', $what, $share);
    }

    public function evidence(): Evidence
    {
        $shares = sprintf('%.0f %% itself, %.0f %% with what it calls', 100 * $this->self, 100 * $this->inclusive);

        return new Evidence($this->name, $shares, $this->place());
    }

    /** @return array{function: string, file: string, line: int, self: float, inclusive: float} */
    public function toArray(): array
    {
        return [
            'function' => $this->name,
            'file' => $this->file,
            'line' => $this->line,
            'self' => round($this->self, 4),
            'inclusive' => round($this->inclusive, 4),
        ];
    }
}
