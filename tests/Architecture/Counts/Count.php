<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

final readonly class Count
{
    /**
     * @param list<string> $offenders the worst first; each begins with a path where it has one
     * @param bool $isBudgeted false for a part that moves between rooms when a file does: only the sum has a budget
     */
    public function __construct(
        public string $name,
        public int $value,
        public array $offenders = [],
        public bool $isBudgeted = true,
    ) {}

    /** @param list<string> $offenders */
    public static function of(string $name, array $offenders): self
    {
        return new self($name, count($offenders), $offenders);
    }

    /** @param list<string> $offenders */
    public static function partOf(string $name, array $offenders): self
    {
        return new self($name, count($offenders), $offenders, false);
    }
}
