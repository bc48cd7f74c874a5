<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\PowerCut;

/**
 * Of directories: entries that come and go together. A rename is one of these on every filesystem with a journal.
 */
final class Change
{
    private bool $isOnDisk = false;

    /** @param list<array{Inode, string, ?Inode}> $entries directory, name, and what it names then; null removes it */
    public function __construct(private readonly array $entries)
    {
        foreach ($entries as [$directory, $name, $inode]) {
            $directory->entries = self::with($directory->entries, $name, $inode);
            $directory->changes[] = $this;
        }
    }

    public function reachDisk(): void
    {
        foreach ($this->isOnDisk ? [] : $this->entries as [$directory, $name, $inode]) {
            $directory->entriesOnDisk = self::with($directory->entriesOnDisk, $name, $inode);
        }

        $this->isOnDisk = true;
    }

    /**
     * As it would be with this change on disk as well.
     *
     * @param array<string, Inode> $entries
     * @return array<string, Inode>
     */
    public function onto(Inode $directory, array $entries): array
    {
        foreach ($this->isOnDisk ? [] : $this->entries as [$changed, $name, $inode]) {
            $entries = $changed === $directory ? self::with($entries, $name, $inode) : $entries;
        }

        return $entries;
    }

    /**
     * @param array<string, Inode> $entries
     * @return array<string, Inode>
     */
    private static function with(array $entries, string $name, ?Inode $inode): array
    {
        unset($entries[$name]);

        return $inode === null ? $entries : [...$entries, $name => $inode];
    }
}
