<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Sockets;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\UnreadableKernel;

/**
 * TCP sockets of a network namespace, by what they are about.
 *
 * @internal
 */
final readonly class SocketCounts
{
    private function __construct(public int $inUse, public int $timeWait, public int $orphans, public string $source) {}

    /** @throws FactUnavailable */
    public static function read(string $process = 'self', KernelFiles $files = new KernelFiles): self
    {
        $path = "/proc/{$process}/net/sockstat";

        return preg_match('/^TCP: inuse (\d{1,18}) orphan (\d{1,18}) tw (\d{1,18})/m', $files->read($path), $m) === 1
            ? new self((int) $m[1], (int) $m[3], (int) $m[2], $path)
            : throw UnreadableKernel::noField($path, 'TCP');
    }
}
