<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\PowerCut;

use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Decides which writes reached the disk before a power cut without a sync.
 */
final class Luck
{
    /** @var array<int, bool> of directories' changes, by object: the same in both directories of a rename */
    private array $changes = [];

    private function __construct(private readonly bool $names, private readonly ?Randomizer $random = null) {}

    /** Nothing. */
    public static function none(): self
    {
        return new self(false);
    }

    /** Each name, and no content: a journal of metadata only. */
    public static function names(): self
    {
        return new self(true);
    }

    /** Anything, writes also in part. */
    public static function any(int $seed): self
    {
        return new self(true, new Randomizer(new Mt19937($seed)));
    }

    public function has(Change $change): bool
    {
        return $this->changes[spl_object_id($change)] ??= $this->random === null
            ? $this->names
            : $this->random->getInt(0, 1) === 1;
    }

    /** How many of a write's sectors; null for one that never happened. */
    public function sectors(int $of): ?int
    {
        $sectors = $this->random?->getInt(-1, $of) ?? -1;

        return $sectors < 0 ? null : $sectors;
    }
}
