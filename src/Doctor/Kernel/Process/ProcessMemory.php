<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Process;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFields;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\UnreadableKernel;

/**
 * The memory of one process. Only PSS adds up over FPM's children: RSS counts opcache's shared memory in each.
 *
 * @internal
 */
final readonly class ProcessMemory
{
    private const KIB = 1_024;

    private function __construct(
        public int $pid,
        public int $pssBytes,
        public int $rssBytes,
        public int $swapBytes,
        public string $source,
    ) {}

    /**
     * @throws FactUnavailable without the right to look (the kernel wants the same user, or root),
     *     or when the process is gone
     */
    public static function of(int $pid, KernelFiles $files = new KernelFiles): self
    {
        $path = "/proc/{$pid}/smaps_rollup";
        $text = $files->read($path);

        // The file of a zombie is empty.
        if (trim($text) === '') {
            throw UnreadableKernel::gone($path, $pid);
        }

        $fields = KernelFields::parse($path, $text);

        return new self(
            $pid,
            $fields->get('Pss') * self::KIB,
            $fields->get('Rss') * self::KIB,
            ($fields->find('Swap') ?? 0) * self::KIB,
            $path,
        );
    }
}
