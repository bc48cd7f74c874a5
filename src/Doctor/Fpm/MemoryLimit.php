<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\MachineMemory;

/**
 * The memory that PHP-FPM may use: the limit of its control group, or all of the machine.
 *
 * @internal
 */
final readonly class MemoryLimit
{
    private function __construct(public int $bytes, private string $source) {}

    /** @throws FactUnavailable */
    public static function of(FpmPool $pool, MachineMemory $machine): self
    {
        $limit = $pool->group()->memoryBytes;

        return $limit === null || $limit >= $machine->totalBytes
            ? self::ofMachine($machine)
            : new self($limit, (string) $pool->group()->memorySource);
    }

    public static function ofMachine(MachineMemory $machine): self
    {
        return new self($machine->totalBytes, $machine->source);
    }

    public function evidence(): Evidence
    {
        return new Evidence('memory', self::megabytes($this->bytes), $this->source);
    }

    public static function megabytes(int|float $bytes): string
    {
        return sprintf('%.0f MB', $bytes / 1_048_576);
    }
}
