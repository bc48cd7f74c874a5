<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

/**
 * @internal
 */
final readonly class MachineMemory
{
    private const PATH = '/proc/meminfo';

    private const KIB = 1_024;

    private function __construct(
        public int $totalBytes,
        public int $availableBytes,
        public int $swapTotalBytes,
        public int $swapFreeBytes,
        public string $source,
    ) {}

    /** In a container this is the memory of the host. The limit of a control group may be far lower. */
    public static function read(KernelFiles $files = new KernelFiles): self
    {
        $fields = KernelFields::parse(self::PATH, $files->read(self::PATH));

        return new self(
            $fields->get('MemTotal') * self::KIB,
            $fields->get('MemAvailable') * self::KIB,
            ($fields->find('SwapTotal') ?? 0) * self::KIB,
            ($fields->find('SwapFree') ?? 0) * self::KIB,
            self::PATH,
        );
    }
}
